// XXH3 as inline functions: no library is needed at run time.
#pragma once
#include <stddef.h>
#include <stdint.h>
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#else
#error "Varve needs the xxHash headers. On Debian: apt-get install libxxhash-dev"
#endif

typedef struct {
  uint64_t low;
  uint64_t high;
} varve_hash128;

uint64_t varve_hash64_large(uint64_t seed, const void *bytes, size_t count);
varve_hash128 varve_hash128_large(const void *bytes, size_t count);

// Hashing in pieces, with seed 0. `varve_stream_new` returns null without memory.
typedef struct varve_stream varve_stream;
varve_stream *varve_stream_new(void);
void varve_stream_update(varve_stream *stream, const void *bytes, size_t count);
uint64_t varve_stream_digest(const varve_stream *stream);
void varve_stream_free(varve_stream *stream);

// Short input is hashed inline, long input by one compiled copy.
static inline uint64_t varve_hash64(uint64_t seed, const void *bytes, size_t count) {
  return count <= 240 ? XXH3_64bits_withSeed(bytes, count, seed)
                      : varve_hash64_large(seed, bytes, count);
}

static inline varve_hash128 varve_hash128_of(const void *bytes, size_t count) {
  if (count > 240) return varve_hash128_large(bytes, count);
  XXH128_hash_t hash = XXH3_128bits(bytes, count);
  varve_hash128 result = {hash.low64, hash.high64};
  return result;
}

// A 128-bit hash of input that comes in pieces. `end` frees the state.
void *varve_hash128_start(void);
void varve_hash128_add(void *state, const void *bytes, size_t count);
varve_hash128 varve_hash128_end(void *state);

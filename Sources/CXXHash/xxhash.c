#include "varve_xxhash.h"

uint64_t varve_hash64_large(uint64_t seed, const void *bytes, size_t count) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

varve_hash128 varve_hash128_large(const void *bytes, size_t count) {
  XXH128_hash_t hash = XXH3_128bits(bytes, count);
  varve_hash128 result = {hash.low64, hash.high64};
  return result;
}

varve_stream *varve_stream_new(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state) XXH3_64bits_reset(state);
  return (varve_stream *)state;
}

void varve_stream_update(varve_stream *stream, const void *bytes, size_t count) {
  XXH3_64bits_update((XXH3_state_t *)stream, bytes, count);
}

uint64_t varve_stream_digest(const varve_stream *stream) {
  return XXH3_64bits_digest((const XXH3_state_t *)stream);
}

void varve_stream_free(varve_stream *stream) { XXH3_freeState((XXH3_state_t *)stream); }

void *varve_hash128_start(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state != NULL) XXH3_128bits_reset(state);
  return state;
}

void varve_hash128_add(void *state, const void *bytes, size_t count) {
  XXH3_128bits_update(state, bytes, count);
}

varve_hash128 varve_hash128_end(void *state) {
  XXH128_hash_t hash = XXH3_128bits_digest(state);
  varve_hash128 result = {hash.low64, hash.high64};
  XXH3_freeState(state);
  return result;
}

#include "varve_xxhash.h"

uint64_t varve_hash64_large(uint64_t seed, const void *bytes, size_t count) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

varve_hash128 varve_hash128_large(const void *bytes, size_t count) {
  XXH128_hash_t hash = XXH3_128bits(bytes, count);
  varve_hash128 result = {hash.low64, hash.high64};
  return result;
}

#pragma once
#if __has_include(<lz4.h>)
#include <lz4.h>
#else
#error "Varve needs the LZ4 headers. On Debian: apt-get install liblz4-dev"
#endif

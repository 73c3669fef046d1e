#pragma once
#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error "The varve command needs the zlib headers. On Debian: apt-get install zlib1g-dev"
#endif

// `inflateInit2` is a macro, which Swift cannot call. 15 + 32: zlib or gzip, found by its header.
static inline int varve_inflate_start(z_stream *stream) { return inflateInit2(stream, 15 + 32); }

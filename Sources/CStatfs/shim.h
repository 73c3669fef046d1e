// The kind of a file system: statfs(2), which the Glibc and Musl modules leave out. Headers only, nothing is linked.
#pragma once
#if defined(__linux__)
#include <sys/vfs.h>
#endif

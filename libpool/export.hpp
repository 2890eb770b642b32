#pragma once

/// Makes a class or a function visible outside of its library if libpool is
/// built as shared libraries, which compile with hidden symbols. Programs that
/// use these libraries must define `LIBPOOL_SHARED` as well; CMake and
/// pkg-config do.
#ifdef LIBPOOL_SHARED
#  define LIBPOOL_EXPORT __attribute__((visibility("default")))
#else
#  define LIBPOOL_EXPORT
#endif

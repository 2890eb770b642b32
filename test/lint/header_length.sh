#!/bin/sh
# header_length.sh INSTALLED: how many lines of code, after the preprocessor, a
# program gets by including libpool/pool.hpp beyond what CAF's own headers bring,
# and by libpool/fwd.hpp. INSTALLED is the folder of an installation. Exit 1 if one
# has grown by a tenth since it was recorded here.
set -eu

readonly pool=7860 fwd=199
PKG_CONFIG_PATH=$(find "$1" -name pkgconfig -type d | head -n 1)
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags libpool)

# preprocessed CODE: with marks of the files that lines are from.
preprocessed() {
  # shellcheck disable=SC2086 # a list of flags
  printf '%s\n' "$1" | c++ -std=c++17 $flags -E -x c++ -
}
lines() { grep -c '^[^#]'; }

of_pool=$(preprocessed '#include "libpool/pool.hpp"')
# CAF's headers that are among them, alone.
of_caf=$(printf '%s\n' "$of_pool" \
  | sed -n 's|^# [0-9]* ".*/include/\(caf/[^"]*\.hpp\)".*|#include <\1>|p' | sort -u)

failed=0
# tell HEADER LINES RECORDED
tell() {
  echo "$1: $2 lines (recorded: $3)"
  [ "$2" -le $(($3 + $3 / 10)) ] || {
    echo "$1 has grown by more than a tenth" >&2
    failed=1
  }
}
tell libpool/pool.hpp $(($(printf '%s\n' "$of_pool" | lines) \
  - $(preprocessed "$of_caf" | lines))) $pool
tell libpool/fwd.hpp \
  "$(preprocessed '#include "libpool/fwd.hpp"' | lines)" $fwd
exit $failed

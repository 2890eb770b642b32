#!/bin/sh
# docs.sh DIR: the documents tell the truth where a script can see it. Whole
# programs in README.md and in the manual are files of examples, and each policy
# of the catalogue has a row in docs/policies.md (fifo is the order of most of
# them, cost_aware the stealing of work_stealing). README.md and CHANGELOG.md name
# the version, and CHANGELOG.md its date.
set -eu
cd "$1"
status=0

# block PAGE N: prints the N-th C++ block of the page.
block() {
  awk -v n="$2" '/^```cpp$/ { is_shown = ++i == n; next }
    /^```$/ { is_shown = 0 }
    is_shown' "$1"
}

# shows PAGE N FILE: the block is the file.
shows() {
  block "$1" "$2" | diff "examples/$3" - >&2 \
    || { echo "$1: block $2 is not examples/$3" >&2
         status=1; }
}

# shows_part PAGE N FILE: the block, but for its headers, is a part of the file.
shows_part() {
  block "$1" "$2" | awk '/^#include/ { next } NF { begun = 1 } begun' \
    | awk 'NR == FNR { part = part $0 "\n"; next } { all = all $0 "\n" }
      END { exit part == "" || index(all, part) == 0 }' - "examples/$3" \
    || { echo "$1: block $2 is not in examples/$3" >&2
         status=1; }
}

shows README.md 1 quick_start.cpp
shows docs/coming_from_caf.md 1 from_caf_before.cpp
shows docs/coming_from_caf.md 2 from_caf_after.cpp
shows docs/guide/own_placement.md 1 most_recently_used.hpp
shows_part docs/guide/threads.md 1 from_threads.cpp
shows_part docs/guide/threads.md 2 from_threads.cpp
shows_part docs/guide/threads.md 3 from_threads.cpp
shows_part docs/guide/threads.md 4 coroutine.cpp

names=$(grep -o 'managed_r[a-z_]*' policies/catalogue.cpp
  sed -n -e 's/^ *shared({"\([a-z_]*\)",.*/\1/p' \
  -e 's/^ *{{"\([a-z_]*\)",.*/\1/p' \
  -e 's/^ *{"\([a-z_]*\)", "[^"]* .*/\1/p' \
    policies/catalogue.cpp | grep -vx -e fifo -e cost_aware)

for policy in $names
do
  grep -q "^| \`$policy\`" docs/policies.md \
    || { echo "docs/policies.md: no row for $policy" >&2; status=1; }
done

version=$(sed -n 's/.*LIBPOOL_VERSION_STRING "\(.*\)"/\1/p' libpool/version.hpp)
grep -q "version $version[, ]" README.md \
  || { echo "README.md does not name version $version" >&2; status=1; }
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md \
  || { echo "CHANGELOG.md has no section and date of $version" >&2; status=1; }
exit $status

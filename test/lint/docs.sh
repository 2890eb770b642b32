#!/bin/sh
# docs.sh DIR: the documents tell the truth where a script can see it. The code
# in README.md is examples/quick_start.cpp, and each policy of the catalogue is
# named in README.md and docs/policies.md.
set -eu
cd "$1"
status=0

sed -n '/^```cpp$/,/^```$/{/^```/d;p;}' README.md \
  | diff examples/quick_start.cpp - >&2 \
  || { echo 'README.md: the example is not examples/quick_start.cpp' >&2
       status=1; }

for policy in $(sed -n 's/^ *{"\([a-z_]*\)", .*/\1/p' policies/catalogue.cpp)
do
  for page in README.md docs/policies.md; do
    grep -q "^| \`$policy\`" "$page" \
      || { echo "$page: no row for $policy" >&2; status=1; }
  done
done
exit $status

#!/bin/sh
# docs.sh DIR: the documents tell the truth where a script can see it. The code
# in README.md is examples/quick_start.cpp, and each policy of the catalogue has
# a row in docs/policies.md (fifo is the order of most of them, cost_aware the
# stealing of work_stealing).
set -eu
cd "$1"
status=0

sed -n '/^```cpp$/,/^```$/{/^```/d;p;}' README.md \
  | diff examples/quick_start.cpp - >&2 \
  || { echo 'README.md: the example is not examples/quick_start.cpp' >&2
       status=1; }

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
exit $status

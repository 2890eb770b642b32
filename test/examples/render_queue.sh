#!/bin/sh
# render_queue PROGRAM: both sources settle the same number of frames, and drop the
# same. How many are on time is not for a test to say.
set -eu
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # WHAT IS
  [ "$1" = "$2" ] || { echo "expected '$1', got '$2'" >&2; exit 1; }
}

# The sum of the rows that match, in this column from the right.
sum() { # PATTERN COLUMN
  awk -v pattern="$1" -v column="$2" \
    '$0 ~ pattern { sum += $(NF - column) } END { print sum + 0 }' \
    "$scratch/out"
}

"$program" --seconds 0.3 --playheads 3 --readers 2 --most-reading 1 --seed 3 \
  >"$scratch/out"
expect "$(sum '^frames ' 1)" "$(sum '^frames ' 0)"
expect "$(sum '^frames dropped' 1)" "$(sum '^frames dropped' 0)"
[ "$(sum '^frames dropped' 0)" -gt 0 ]
expect 1 "$(sum '^most reads' 0)"
expect 1 "$(sum '^most reads' 1)"
[ "$(sum '^lines of code' 1)" -gt "$(sum '^lines of code' 0)" ]

rejected() { # OPTION VALUE
  status=0
  "$program" "$@" >"$scratch/out" 2>"$scratch/error" || status=$?
  expect 2 "$status"
  grep -q -- "$1" "$scratch/error"
  grep -q '^Usage: render_queue' "$scratch/error"
  expect '' "$(cat "$scratch/out")"
}

rejected --seconds 0
rejected --seconds nan
rejected --readers 0
rejected --playheads 257
rejected --most-reading many
rejected --seed x

"$program" --help | grep -q -- '--read-ahead'
if [ -e /dev/full ]; then
  status=0
  "$program" --seconds 0.1 >/dev/full 2>"$scratch/error" || status=$?
  expect 1 "$status"
fi

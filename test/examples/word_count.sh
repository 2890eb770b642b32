#!/bin/sh
# word_count PROGRAM: agrees with wc, and names what failed.
set -eu
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # WHAT IS
  [ "$1" = "$2" ] || { echo "expected '$1', got '$2'" >&2; exit 1; }
}

for i in 1 2 3 4 5 6 7; do
  seq "$((i * i))" >"$scratch/$i"
done
expect "$(cat "$scratch"/* | wc -w)" "$("$program" "$scratch"/*)"
expect 1 "$("$program" "$scratch/1")"

status=0
"$program" "$scratch/1" "$scratch/none" 2>"$scratch/error" || status=$?
expect 1 "$status"
grep -q "$scratch/none" "$scratch/error"

status=0
"$program" 2>/dev/null || status=$?
expect 2 "$status"

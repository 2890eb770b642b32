#!/bin/sh
# tenants PROGRAM: every tenant is answered with both policies, and the picture
# shows them all. How fast that is, is not for a test to say.
set -eu
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # WHAT IS
  [ "$1" = "$2" ] || { echo "expected '$1', got '$2'" >&2; exit 1; }
}

run() { # STATUS OPTION...
  wanted=$1
  shift
  status=0
  "$program" "$@" >"$scratch/out" 2>"$scratch/error" || status=$?
  expect "$wanted" "$status" \
    || { echo "$* said:" >&2; cat "$scratch/error" >&2; exit 1; }
}

# The tenants that were answered at least once, of the table below a policy.
answered() { # POLICY
  awk -v policy="$1" '
    NF == 0 { inside = 0 }
    inside && $2 + 0 > 0 { printf "%s ", $1 }
    $0 == policy { inside = 1 }' "$scratch/out"
}

count() { # PATTERN
  grep -o -- "$1" "$scratch/plot.svg" | wc -l
}

run 0 --seconds 0.3 --noise 20 --tenants 'alice,<b&b>' \
  --plot "$scratch/plot.svg"
expect 'alice <b&b> mallory ' "$(answered fifo)"
expect 'alice <b&b> mallory ' "$(answered fair_queuing)"
expect '' "$(cat "$scratch/error")"

# Halfway the pool told of the flow that never has nothing to do.
grep -q '^  flow .* lag$' "$scratch/out"
grep -q '^  mallory .* [-0-9.]* m\?s$' "$scratch/out"

# One element, all that begins ends, and no name is taken for markup.
expect '<svg xmlns="http://www.w3.org/2000/svg"' \
  "$(head -n 1 "$scratch/plot.svg" | cut -c 1-39)"
expect '</svg>' "$(tail -n 1 "$scratch/plot.svg")"
for element in svg g text title style; do
  expect "$(count "<$element[ >]")" "$(count "</$element>")"
done
expect 0 "$(count '<b')"
expect 3 "$(count ', fifo: [0-9]* answered')"
expect 3 "$(count ', fair_queuing: [0-9]* answered')"

# Without mallory.
run 0 --seconds 0.1 --noise 0 --tenants alice --workers 1
expect 'alice ' "$(answered fifo)"
expect 'alice ' "$(answered fair_queuing)"

# Before any work begins.
run 1 --plot "$scratch/none/plot.svg"
expect "tenants: $scratch/none/plot.svg: No such file or directory" \
  "$(LC_ALL=C cat "$scratch/error")"
expect '' "$(cat "$scratch/out")"

rejected() { # OPTION VALUE
  run 2 "$@"
  grep -q -- "$1" "$scratch/error"
  grep -q '^Usage: tenants' "$scratch/error"
  expect '' "$(cat "$scratch/out")"
}

rejected --seconds 0
rejected --seconds nan
rejected --seconds 1e9
rejected --workers 0
rejected --workers -1
rejected --noise many
rejected --seed x
rejected --tenants ''
rejected --tenants 'a,,b'
rejected --tenants 'a,b,a'
rejected --tenants mallory
rejected --tenants "$(printf 'a\tb')"
run 2 --nonsense
run 2 nonsense

run 0 --help
grep -q -- '--plot' "$scratch/out"

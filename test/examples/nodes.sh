#!/bin/sh
# nodes PROGRAM CERTIFICATES: programs join a pool, one of them is killed, and each
# number that the pool reads is squared all the same.
set -eu
scratch=$(mktemp -d)
running=
trap 'kill -9 $running 2>/dev/null || :; rm -rf "$scratch"' EXIT
"$2" "$scratch/known" server client >/dev/null
mkfifo "$scratch/numbers" "$scratch/squares" "$scratch/one" "$scratch/two"

# squared N...: the pool reads the numbers, and prints their squares.
squared() {
  echo "$@" >&3
  for number; do
    read -r square <&4
    [ "$square" = $((number * number)) ] || {
      echo "the square of $number is '$square'" >&2
      exit 1
    }
  done
}

"$1" pool "$scratch/known" <"$scratch/numbers" >"$scratch/squares" &
pool=$!
running=$pool
exec 3>"$scratch/numbers" 4<"$scratch/squares"
read -r port <&4

"$1" serve "$scratch/known" "$port" <"$scratch/one" &
one=$!
running="$running $one"
exec 5>"$scratch/one"
squared 1 2 3

"$1" serve "$scratch/known" "$port" <"$scratch/two" >"$scratch/said" &
two=$!
running="$running $two"
exec 6>"$scratch/two"
kill -9 "$one"
squared 4 5 6

exec 6>&-
wait "$two"
grep -qx 'has left' "$scratch/said"
exec 3>&-
wait "$pool"
running=

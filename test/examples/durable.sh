#!/bin/sh
# durable PROGRAM: refuses wrong command lines with words that help, and says so
# when there is no server.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$*" >&2
  cat "$scratch/error" >&2
  exit 1
}

# run STATUS ARGUMENT...: leaves `out` and `error`.
run() {
  wanted=$1
  shift
  status=0
  "$program" "$@" >"$scratch/out" 2>"$scratch/error" || status=$?
  [ "$status" -eq "$wanted" ] || fail "exit $status, not $wanted: $*"
}

says() { # FILE TEXT
  grep -qF -- "$2" "$scratch/$1" || fail "$1 does not say: $2"
}

program=$1
for wrong in '' 'nonsense' 'work --workers 0' 'work --workers 257' \
  'work --window -1' 'work --retries many' 'work --ack-wait 0' \
  'work --deadline 0' "work --results $scratch/none" 'status x'; do
  # shellcheck disable=SC2086 # several words
  run 2 $wrong
  says error 'Usage: durable'
  [ ! -s "$scratch/out" ] || fail "output: $wrong"
done
run 0 --help
says out submit
run 0 work --help
says out --ack-wait

# Nobody listens on port 1.
run 1 --server nats://127.0.0.1:1 submit file
says error 'durable: cannot connect to nats://127.0.0.1:1: '

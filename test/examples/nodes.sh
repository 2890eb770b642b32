#!/usr/bin/env bash
# nodes PROGRAM CERTIFICATES SUPPORT: programs join a pool through a NATS server with
# TLS, one of them is killed, and each number that the pool or another program reads
# is squared all the same. SUPPORT is the folder of nats_server.sh.
set -eu
. "$3/processes.sh"
. "$3/nats_server.sh"
fail() {
  echo "nodes: $1" >&2
  exit 1
}
skip_without_nats_server nodes
scratch=$(mktemp -d)
running=
trap 'kill -9 $running 2>/dev/null || :; rm -rf "$scratch"' EXIT
known=$scratch/known
SERVER_NAMES=127.0.0.1 "$2" "$known" server front agent client >/dev/null
cat >"$scratch/nats.conf" <<END
tls { cert_file: "$known/server.pem", key_file: "$known/server.key",
      ca_file: "$known/ca.pem", verify: true }
END
start_nats_server "$scratch"
running=$nats_server
server=tls://127.0.0.1:$nats_port
mkfifo "$scratch/numbers" "$scratch/squares" "$scratch/one" "$scratch/two"

# squared N...: the pool reads the numbers, and prints their squares.
squared() {
  echo "$@" >&3
  for number; do
    read -r square <&4
    [ "$square" = $((number * number)) ] \
      || fail "the square of $number is '$square'"
  done
}

"$1" pool "$server" "$known" <"$scratch/numbers" >"$scratch/squares" &
pool=$!
running="$running $pool"
exec 3>"$scratch/numbers" 4<"$scratch/squares"

"$1" serve "$server" "$known" <"$scratch/one" &
one=$!
running="$running $one"
exec 5>"$scratch/one"
squared 1 2 3

"$1" serve "$server" "$known" <"$scratch/two" >"$scratch/said" &
two=$!
running="$running $two"
exec 6>"$scratch/two"
kill -9 "$one"
squared 4 5 6
echo 7 8 | "$1" submit "$server" "$known" >"$scratch/submitted"
printf '49\n64\n' | diff - "$scratch/submitted"

exec 6>&-
wait "$two"
grep -qx 'has left' "$scratch/said"
exec 3>&-
wait "$pool"

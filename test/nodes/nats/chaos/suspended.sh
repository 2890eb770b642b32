#!/usr/bin/env bash
# suspended.sh CHAOS WAY SECONDS [SEED]: two fronts serve a pool in turn, without
# retries, two nodes compute, and two clients submit, in the WAY `plain` or
# `durable`. The front that serves stands still for so long, while the other one
# takes over, and goes on. Each request must be answered once, and none may begin
# twice. The long form takes 4, 6 and 12 s, and ten seeds each.
# Exit 77 if there is no nats-server.
set -euo pipefail

chaos=$1 way=$2 seconds=$3 seed=${4:-1}
PATH=$PATH:/usr/sbin # where Debian has servers
command -v nats-server >/dev/null || {
  echo 'skipped: there is no nats-server'
  exit 77
}
if [[ -n ${LIBPOOL_SOAK:-} && -z ${4:-} ]]; then
  for seconds in 4 6 12; do
    for seed in {1..10}; do
      "$0" "$chaos" "$way" "$seconds" "$seed"
    done
  done
  exit
fi
readonly patience=120 # seconds
scratch=$(mktemp -d)
others=()

clean_up() {
  local each
  for each in "${others[@]}"; do
    kill -CONT "$each" 2>/dev/null || true
    kill -KILL "$each" 2>/dev/null || true
    wait "$each" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap clean_up EXIT
mkfifo "$scratch/never"
exec 9<>"$scratch/never"

# pause SECONDS
pause() { read -rt "$1" <&9 || true; }

# await WHAT COMMAND...: until the command succeeds.
await() {
  local what=$1 tries=$((patience * 10))
  shift
  until "$@"; do
    ((tries-- > 0)) || {
      echo "suspended.sh: waits in vain: $what" >&2
      exit 1
    }
    pause 0.1
  done
}

has_port() {
  port=$(grep -os '127.0.0.1:[0-9]*' "$scratch/nats-server_${others[0]}.ports")
}
serves() { grep -qs serves "$scratch/front-$1"; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }

flags=()
[[ $way == plain ]] || flags=(--durable)
nats-server --addr 127.0.0.1 --port -1 --ports_file_dir "$scratch" --jetstream \
  --store_dir "$scratch/store" 2>"$scratch/server.log" &
others+=($!)
await 'the port of the server' has_port
address=nats://$port

start_front() { # NUMBER
  "$chaos" pool "$address" --standby 2500 --retries 0 "${flags[@]}" \
    <"$scratch/never" >"$scratch/front-$1" &
  others+=($!)
}
start_front 0
front=${others[1]}
await 'the first front serves' serves 0
start_front 1
for i in 0 1; do
  "$chaos" node "$address" --log "$scratch/log-$i" &
  others+=($!)
done
clients=()
for i in 0 1; do
  "$chaos" ask "$address" --name "client-$i" --first $((i * 100000000)) \
    --tasks 100000000 --seconds $((seconds + 4)) --in-flight 64 \
    --log "$scratch/answered-$i" "${flags[@]}" >"$scratch/answers-$i" &
  clients+=($!)
  others+=($!)
done
RANDOM=$seed
pause "1.$((RANDOM % 10))"
kill -STOP "$front"
pause "$seconds"
kill -CONT "$front"
verdict=0
for i in 0 1; do
  await "client $i has all answers" has_ended "${clients[i]}"
  wait "${clients[i]}" || verdict=1
  cat "$scratch/answers-$i"
done
# Within 4 s, the first front may be back before its lock has expired.
serves 1 || {
  echo 'the other front has not taken over' >&2
  ((seconds <= 4)) || verdict=1
}
"$chaos" check "$scratch"/log-* --times 1 || verdict=1
exit $verdict

#!/usr/bin/env bash
# shellcheck disable=SC2317 # the mode is the name of a function
# chaos.sh CHAOS RELAY MODE...: four nodes serve a pool, and a client of another
# program submits. All requests must be answered once, and no task may begin more
# often than the pool may retry it. Exit 77 if there is no nats-server. The modes:
#
#   torment TASKS PERIOD  each PERIOD of seconds a node is killed and another one
#                         started, or one stands still for two of them, or the
#                         NATS server is killed and started again, or stands
#                         still, or the line of the client and of a node is cut,
#                         or lets nothing pass
#   calm SECONDS BUSY     nobody does any harm, but for so many programs that
#                         want the processors; no node may be lost
#   uneven TASKS MS       each task takes so long at one node, and 1 ms at the
#                         others; that one may get a twentieth of them at most
#   flood SECONDS BYTES   more comes than slow nodes can do, with so many bytes
#                         each. The pool's memory must stay within bounds; it
#                         is taken from one arena of glibc's malloc, since each
#                         further one keeps some MiB that are free
set -euo pipefail

chaos=$1 relay=$2 mode=$3 amount=$4 load=$5
readonly retries=3 seed=1
PATH=$PATH:/usr/sbin # where Debian has servers
command -v nats-server >/dev/null || {
  echo 'skipped: there is no nats-server'
  exit 77
}
scratch=$(mktemp -d)
declare -A nodes=() # process ids by number
others=() server='' pool='' client='' port=-1 work=0 logs=0
kills=0 stops=0 cuts=0 restarts=0

clean_up() {
  local each
  for each in $server $pool $client "${nodes[@]}" "${others[@]}"; do
    kill -CONT "$each" 2>/dev/null || true
    kill -KILL "$each" 2>/dev/null || true
    wait "$each" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap clean_up EXIT
mkfifo "$scratch/never" "$scratch/told"
exec 9<>"$scratch/never"

# pause SECONDS
pause() { read -rt "$1" <&9 || true; }

# Again at the same port, if there was one.
start_server() {
  nats-server --addr 127.0.0.1 --port "$port" --ports_file_dir "$scratch" \
    2>"$scratch/server.log" 8>&- &
  server=$!
  local ports=$scratch/nats-server_$server.ports
  until port=$(grep -os '127.0.0.1:[0-9]*' "$ports"); do
    kill -0 "$server"
    pause 0.02
  done
  port=${port#*:}
}

kill_server() {
  kill -KILL "$server"
  wait "$server" 2>/dev/null || true
}

start_node() { # NUMBER; the last one is behind the relay
  local at=$port work=$work log=$((logs++))
  (($1 < 3)) || at=$line
  [[ $mode != uneven || $1 != 0 ]] || work=$load
  "$chaos" node "nats://127.0.0.1:$at" --work "$work" \
    --log "$scratch/log-$log" 8>&- &
  nodes[$1]=$!
}

# signal NODE NAME: nodes do not end by themselves.
signal() {
  kill "-$2" "${nodes[$1]}" 2>/dev/null || {
    echo "node $1 has ended by itself" >&2
    exit 1
  }
}

kill_one() {
  local victim=$((RANDOM % 4))
  signal "$victim" KILL
  wait "${nodes[$victim]}" 2>/dev/null || true
  start_node "$victim"
  kills=$((kills + 1))
}

stop_one() {
  local victim=$((RANDOM % 4))
  signal "$victim" STOP
  pause "$load"
  pause "$load"
  signal "$victim" CONT
  stops=$((stops + 1))
}

restart_server() {
  kill_server
  start_server
  restarts=$((restarts + 1))
}

stop_server() {
  kill -STOP "$server"
  pause "$load"
  kill -CONT "$server"
  stops=$((stops + 1))
}

cut_line() {
  tell_relay stall
  pause "$load"
  pause "$load"
  tell_relay "$1"
  tell_relay go
  cuts=$((cuts + 1))
}

tell_relay() {
  local answer
  echo "$1" >&"${RELAY[1]}"
  read -r answer <&"${RELAY[0]}"
  [[ $answer == 'done' ]]
}

# All sorts of harm in turn, to nodes that are drawn.
torment() {
  local turn=0
  RANDOM=$seed
  while kill -0 "$client" 2>/dev/null; do
    case $((turn++ % 8)) in
      1) restart_server ;;
      2 | 6) stop_one ;;
      3) cut_line reset ;;
      4) stop_server ;;
      7) cut_line go ;;
      *) kill_one ;;
    esac
    pause "$load"
  done
}

calm() {
  local i
  for ((i = 0; i < load; i++)); do
    while :; do :; done 8>&- &
    others+=($!)
  done
}

flood() { :; }
uneven() { :; }

# A number in the log is 8 bytes.
check_share() {
  local slow all
  slow=$(wc -c <"$scratch/log-0")
  all=$(cat "$scratch"/log-* | wc -c)
  echo "the slow node began $((slow / 8)) of $((all / 8)) tasks"
  ((slow * 20 <= all))
}

if [[ $mode == flood ]]; then
  export MALLOC_ARENA_MAX=1
fi

how=() asks=(--tasks "$amount")
case $mode in
  flood)
    how=(--capacity $((16 << 20)))
    asks=(--seconds "$amount" --tasks 1000000000 --content "$load")
    work=40
    ;;
  uneven)
    how=(--lossless)
    asks+=(--lossless)
    work=1
    ;;
  torment) how=(--retries "$retries") ;;
  calm)
    how=(--lossless)
    asks=(--seconds "$amount" --tasks 1000000000 --lossless)
    ;;
esac
start_server
coproc RELAY { exec "$relay" "$port"; }
others+=("$RELAY_PID")
read -r line <&"${RELAY[0]}"
"$chaos" pool "nats://127.0.0.1:$port" "${how[@]}" <"$scratch/told" \
  >"$scratch/ledger" &
pool=$!
exec 8>"$scratch/told"
for i in 0 1 2 3; do
  start_node "$i"
done
# Until connections and threads have the memory that they need themselves.
"$chaos" ask "nats://127.0.0.1:$port" --first 1000000000 --tasks 2000 \
  >/dev/null
echo measure >&8
until [[ -s $scratch/ledger ]]; do
  pause 0.02
done
"$chaos" ask "nats://127.0.0.1:$line" "${asks[@]}" \
  >"$scratch/answers" 8>&- &
client=$!
$mode
verdict=0
wait "$client" || verdict=1
client=
exec 8>&-
wait "$pool" || verdict=1
pool=
echo "$kills nodes were killed, $stops programs stood still, $cuts lines were" \
  "cut, the server was started again $restarts times"
cat "$scratch/answers"
tail -n +2 "$scratch/ledger"
"$chaos" check "$scratch"/log-* --times $((1 + retries))
[[ $mode != uneven ]] || check_share || verdict=1
exit $verdict

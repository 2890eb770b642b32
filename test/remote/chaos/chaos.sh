#!/usr/bin/env bash
# chaos.sh CHAOS RELAY CERTIFICATES MODE...: four nodes serve a pool. All requests
# must be answered once, and no task may begin more often than the pool may retry
# it. The modes:
#
#   torment TASKS PERIOD  each PERIOD of seconds a node is killed and another one
#                         started, or one stands still for two of them, or the
#                         line of one lets nothing pass
#   calm SECONDS BUSY     nobody does any harm, but for so many programs that
#                         want the processors; no node may be lost
#   uneven TASKS MS       each task takes so long at one node, and 1 ms at the
#                         others; that one may get a twentieth of them at most
#   flood SECONDS BYTES   more comes than slow nodes can do, with so many bytes
#                         each. The pool's memory must stay within bounds; it
#                         is taken from one arena of glibc's malloc, since each
#                         further one keeps some MiB that are free
set -euo pipefail

chaos=$1 relay=$2 mode=$4 amount=$5 load=$6
readonly retries=3 seed=1
scratch=$(mktemp -d)
declare -A nodes=() # process ids by number
others=() pool= line= work=0 logs=0 kills=0 stops=0 cuts=0

clean_up() {
  local each
  for each in $pool "${nodes[@]}" "${others[@]}"; do
    kill -CONT "$each" 2>/dev/null || true
    kill -KILL "$each" 2>/dev/null || true
    wait "$each" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap clean_up EXIT
"$3" "$scratch/known" server client >/dev/null
mkfifo "$scratch/never"
exec 9<>"$scratch/never"
: >"$scratch/said"

start_node() { # NUMBER; the last one is behind the relay
  local at=$port work=$work log=$((logs++))
  (($1 < 3)) || at=$line
  [[ $mode != uneven || $1 != 0 ]] || work=$load
  "$chaos" node "$scratch/known" --port "$at" --work "$work" \
    --log "$scratch/log-$log" &
  nodes[$1]=$!
}

# pause SECONDS
pause() { read -rt "$1" <&9 || true; }

# signal NODE NAME: nodes end with their pool, and otherwise not by themselves.
signal() {
  kill "-$2" "${nodes[$1]}" 2>/dev/null && return
  pause 5
  ! kill -0 $pool 2>/dev/null || {
    echo "node $1 has ended by itself" >&2
    exit 1
  }
}

kill_one() {
  local victim=$((RANDOM % 4))
  signal $victim KILL
  wait "${nodes[$victim]}" 2>/dev/null || true
  start_node "$victim"
  kills=$((kills + 1))
}

stop_one() {
  local victim=$((RANDOM % 4))
  signal $victim STOP
  pause "$load"
  pause "$load"
  signal $victim CONT
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

torment() {
  RANDOM=$seed
  while kill -0 $pool 2>/dev/null; do
    case $((RANDOM % 8)) in
      0) cut_line reset ;;
      1) cut_line go ;;
      2 | 3 | 4) stop_one ;;
      *) kill_one ;;
    esac
    pause "$load"
  done
}

calm() {
  local i
  for ((i = 0; i < load; i++)); do
    while :; do :; done &
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

case $mode in
  flood)
    how=(--seconds "$amount" --tasks 1000000000 --content "$load"
      --capacity $((16 << 20)))
    work=10
    ;;
  uneven) how=(--tasks "$amount" --lossless) work=1 ;;
  torment) how=(--tasks "$amount" --retries $retries) ;;
  calm) how=(--seconds "$amount" --tasks 1000000000 --lossless) ;;
esac
"$chaos" pool "$scratch/known" "${how[@]}" >"$scratch/said" &
pool=$!
until read -r port <"$scratch/said"; do
  kill -0 $pool
  pause 0.05
done
coproc RELAY { exec "$relay" "$port"; }
others+=("$RELAY_PID")
read -r line <&"${RELAY[0]}"
for i in 0 1 2 3; do
  start_node "$i"
done
$mode
verdict=0
wait $pool || verdict=$?
pool=
echo "$kills nodes were killed, $stops stood still, $cuts lines were cut"
tail -n +2 "$scratch/said"
"$chaos" check "$scratch"/log-* --times $((1 + retries))
[[ $mode != uneven ]] || check_share || verdict=1
exit $verdict

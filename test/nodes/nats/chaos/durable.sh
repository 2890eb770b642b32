#!/usr/bin/env bash
# durable.sh CHAOS TASKS PERIOD RETRIES: a cluster of three NATS servers keeps a
# durable queue, two fronts serve the pool in turn, four nodes compute, and a
# client submits. Each PERIOD of seconds the front that serves, a node and, every
# second time, the client are killed at the same moment and started again. The long
# form also kills a server at that moment, if all servers are healthy: a cluster of
# nats-server 2.9 can otherwise lose messages that it has confirmed, and it can
# remain without one of its servers, after which the test has no end. Every request
# must be answered, and none may begin more often than retries allow. Without
# retries, a request may fail because its front was killed. With retries, the short
# form kills fronts as often as a request is retried.
# Exit 77 if there is no nats-server.
set -euo pipefail

chaos=$1 tasks=$2 period=$3 retries=$4
readonly is_long=${LIBPOOL_SOAK:-} first=$((20000 + $$ % 1300 * 9)) seed=1
PATH=$PATH:/usr/sbin # where Debian has servers
command -v nats-server >/dev/null || {
  echo 'skipped: there is no nats-server'
  exit 77
}
scratch=$(mktemp -d)
declare -A programs=() # process ids by name
rounds=0 logs=0

clean_up() {
  local each
  for each in "${programs[@]}"; do
    kill -KILL "$each" 2>/dev/null || true
    wait "$each" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap clean_up EXIT
mkfifo "$scratch/never"
exec 9<>"$scratch/never"

# pause SECONDS: unless a program has ended that nobody has killed.
pause() {
  local name
  for name in "${!programs[@]}"; do
    { [[ $name == client ]] && is_answered; } \
      || kill -0 "${programs[$name]}" 2>/dev/null || {
      echo "$name has ended by itself" >&2
      exit 1
    }
  done
  read -rt "$1" <&9 || true
}

routes() {
  local i result=
  for i in 3 4 5; do
    result+=,nats://127.0.0.1:$((first + i))
  done
  echo "${result#,}"
}

addresses=()
for i in 0 1 2; do
  addresses+=("nats://127.0.0.1:$((first + i))")
done

start_server() { # NUMBER
  nats-server --addr 127.0.0.1 --port $((first + $1)) --name "server-$1" \
    --jetstream --store_dir "$scratch/store-$1" --cluster_name farm \
    --cluster "nats://127.0.0.1:$((first + 3 + $1))" --routes "$(routes)" \
    --http_port $((first + 6 + $1)) \
    2>"$scratch/server-$1.log" &
  programs[server-$1]=$!
}

start_front() { # NUMBER
  "$chaos" pool "${addresses[@]}" --durable --standby 2000 \
    --retries "$retries" --durable-retries "$retries" <"$scratch/never" \
    >"$scratch/front-$1" &
  programs[front-$1]=$!
}

start_node() { # NUMBER
  logs=$((logs + 1))
  "$chaos" node "${addresses[@]}" --log "$scratch/log-$logs" &
  programs[node-$1]=$!
}

start_client() {
  "$chaos" ask "${addresses[@]}" --durable --tasks "$tasks" \
    --log "$scratch/answered" >"$scratch/answers" &
  programs[client]=$!
}

kill_hard() { # NAME
  kill -KILL "${programs[$1]}" 2>/dev/null || [[ $1 == client ]] # is done
  wait "${programs[$1]}" 2>/dev/null || true
}

serving() {
  local i
  for i in 0 1; do
    ! grep -q serves "$scratch/front-$i" || echo "$i"
  done
}

is_answered() { (($(wc -c <"$scratch/answered") / 8 >= tasks)); }

# Whether no request has lost all of its fronts afterwards: one that waits in line
# can be lost with each of them.
may_kill() { ((retries == 0 || rounds < retries)) || [[ -n $is_long ]]; }

kill_all_sorts() {
  local server=$((RANDOM % 3)) node=$((RANDOM % 4)) front
  rounds=$((rounds + 1))
  front=$(serving | sed -n 1p)
  [[ -z $is_long ]] || kill_hard "server-$server"
  kill_hard "node-$node"
  [[ -z $front ]] || kill_hard "front-$front"
  ((rounds % 2)) || kill_hard client
  [[ -z $is_long ]] || start_server "$server"
  start_node "$node"
  [[ -z $front ]] || start_front "$front"
  ((rounds % 2)) || start_client
}

# is_healthy NUMBER: the server has all streams as the others have them.
is_healthy() (
  trap '' PIPE
  exec 2>/dev/null 7<>"/dev/tcp/127.0.0.1/$((first + 6 + $1))" || exit 1
  printf 'GET /healthz HTTP/1.0\r\n\r\n' >&7
  read -r answer <&7
  [[ $answer == *' 200 '* ]]
)

# Until a front serves again and something is answered: otherwise nothing would
# ever come to an end.
await_progress() {
  local before i
  for i in 0 1 2; do
    until is_healthy "$i"; do pause 0.1; done
  done
  until [[ -n $(serving) ]]; do pause 0.1; done
  before=$(wc -c <"$scratch/answered")
  until (($(wc -c <"$scratch/answered") > before)) || is_answered; do
    pause 0.1
  done
}

RANDOM=$seed
: >"$scratch/answered"
for i in 0 1 2; do start_server "$i"; done
for i in 0 1; do start_front "$i"; done
for i in 0 1 2 3; do start_node "$i"; done
start_client
await_progress
until is_answered; do
  ! may_kill || kill_all_sorts
  await_progress
  pause "$period"
done
verdict=0
wait "${programs[client]}" || verdict=1
unset "programs[client]"
echo "$rounds times programs were killed"
cat "$scratch/answers"
((retries == 0)) || ! grep -q 'answered with' "$scratch/answers" || verdict=1
"$chaos" check "$scratch/answered" --times 1 || verdict=1
"$chaos" check "$scratch"/log-* --times $(((1 + retries) * (1 + retries))) \
  || verdict=1
exit $verdict

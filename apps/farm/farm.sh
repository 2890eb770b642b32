#!/usr/bin/env bash
# farm.sh PROGRAM TREE: hashes the tree through a durable queue of a NATS server, by
# a front, a standby and three agents. It kills the submitter, an agent and the
# front meanwhile, and has sha256sum check what comes out. Exit 77 if there is no
# nats-server.
set -euo pipefail

program=$(realpath "$1") tree=$2
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../../tools
# shellcheck source=/dev/null
. "$here/../support/processes.sh"
# shellcheck source=/dev/null
. "$here/../support/nats_server.sh"
skip_without_nats_server farm
scratch=$(mktemp -d)
declare -A pids
nats_server='' nats_port=''

clean_up() {
  local each
  for each in "${pids[@]}" $nats_server; do
    kill_hard "$each"
  done
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "farm: $*" >&2
  tail -n 5 "$scratch"/*.log >&2
  exit 1
}

# start NAME USER COMMAND ARGUMENT...: with the certificate of that user.
start() {
  local name=$1 user=$2 command=$3
  shift 3
  "$program" "$command" --server "tls://127.0.0.1:$nats_port" \
    --certificates "$scratch" --name "$user" "$@" 2>>"$scratch/$name.log" &
  pids[$name]=$!
}

# start_front NAME: all fronts have the same user.
start_front() { start "$1" front front --durable --standby 2 --lease 2 --retry 10; }
start_agent() { start "$1" "$1" agent; }
start_submitter() { start client client submit --durable "$tree" >"$scratch/sums"; }

says() { grep -qsF -- "$2" "$scratch/$1.log"; }
count_done() { wc -l <"$scratch/sums"; }
is_over() { has_ended "${pids[client]}"; }
is_midway() { (($(count_done) > 0)) || is_over; }

# wait_until_midway: false if there is no more to do.
wait_until_midway() {
  until_true 'files are hashed' is_midway
  is_over || return 0
  echo 'the tree was hashed before anything else could be killed'
  return 1
}

kill_parts() {
  wait_until_midway || return 0
  kill_hard "${pids[client]}"
  echo "killed the submitter when $(count_done) files were out," \
    'and started it again'
  start_submitter
  wait_until_midway || return 0
  kill_hard "${pids[two]}"
  kill_hard "${pids[first]}"
  echo "killed the agent two and the front when $(count_done) files were out," \
    'and started the agent again'
  start_agent two
  until_true 'the standby serves' says second 'farm: serves'
  echo 'the standby serves the pool'
}

SERVER_NAMES=localhost,127.0.0.1 "$tools/poolcert" "$scratch" server
"$tools/poolcert" "$scratch" front one two three client
"$here/nats_config" "$scratch" one two three -- client >"$scratch/nats.conf"
start_nats_server "$scratch"
start_front first
until_true 'a front serves' says first 'farm: serves'
start_front second
until_true 'a front waits' says second 'another program serves the pool'
for name in one two three; do
  start_agent $name
done
: >"$scratch/sums" # it is looked at before the submitter has made it
start_submitter
kill_parts

until_true 'all files are hashed' is_over
status=0
wait "${pids[client]}" || status=$?
cat "$scratch/client.log"
((status == 0)) || fail "not all files were hashed"
sha256sum --check --quiet --strict "$scratch/sums" || fail 'a wrong digest'
[ "$(find "$tree" -type f | wc -l)" -eq "$(count_done)" ] \
  || fail 'not one line for each file'
echo "sha256sum agrees on all $(count_done) files of $tree"

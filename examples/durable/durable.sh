#!/usr/bin/env bash
# durable.sh PROGRAM: kills whoever takes part in durable work, and shows that
# each job has one right result in the end. Exit 77 if there is no nats-server.
set -euo pipefail

program=$1
PATH=$PATH:/usr/sbin # where Debian has servers
readonly small=300 retries=5
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/processes.sh"

command -v nats-server >/dev/null || {
  echo 'durable: skipped, there is no nats-server'
  exit 77
}
scratch=$(mktemp -d)
server= worker= submitter=
mkdir "$scratch/files" "$scratch/results"

clean_up() {
  local each
  for each in $server $worker $submitter; do
    kill_hard "$each"
  done
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "durable: $*" >&2
  tail -n 5 "$scratch"/{log,error,server.log} >&2 2>/dev/null || true
  exit 1
}

# -- the three that take part --------------------------------------------------

# Answers only when the streams can be used.
ask() { "$program" --server "$url" "$@"; }
is_up() { kill -0 "$server" && ask status >/dev/null 2>&1; }

# start_server PORT: -1 is any that is free.
start_server() {
  nats-server --addr 127.0.0.1 --port "$1" --jetstream \
    --store_dir "$scratch/store" --ports_file_dir "$scratch" \
    --log "$scratch/server.log" &
  server=$!
}

has_port() {
  url=$(grep -o 'nats://127.0.0.1:[0-9]*' "$scratch/nats-server_$server.ports" \
    2>/dev/null)
}

start_worker() {
  "$program" --server "$url" work --results "$scratch/results" --workers 2 --retries $retries \
    --ack-wait 2 --until-empty >>"$scratch/log" 2>>"$scratch/error" &
  worker=$!
}

count_jobs() { ask status | sed -n 's/^jobs //p'; }
has_jobs() { (($(count_jobs) >= $1)); }
count_results() { find "$scratch/results" -name '[!.]*' | wc -l; }
is_in_hand() { grep -q "^took 1 .*/$1\$" "$scratch/log"; }
is_done() { grep -q "^done .*/$1\$" "$scratch/log"; }

is_stopped() { grep -q '^State:.T' "/proc/$worker/status"; }

# bytes_read FILE: by the worker so far.
bytes_read() {
  local fd
  for fd in "/proc/$worker/fd/"*; do
    [[ $(readlink "$fd") -ef $scratch/files/$1 ]] || continue
    sed -n 's/^pos:[^0-9]*//p' "/proc/$worker/fdinfo/${fd##*/}"
    return
  done
  echo 0
}

# kill_while_hashing FILE KILL: nobody hashes the file in the time of a test, so
# the worker has it in hand; then it shrinks to little more than has been read.
kill_while_hashing() {
  until_true "the worker hashes $1" is_in_hand "$1"
  kill -STOP "$worker"
  until_true 'the worker is stopped' is_stopped
  ! is_done "$1" || fail "$1 was hashed before anybody was killed"
  truncate -s $(($(bytes_read "$1") + (64 << 20))) "$scratch/files/$1"
  "$2"
}

# -- the work ------------------------------------------------------------------

make_files() {
  local i
  for ((i = 0; i < small; i++)); do
    head -c $((i * 100)) /dev/urandom >"$scratch/files/$i"
    echo "$scratch/files/$i"
    ((i != small / 3)) || big big-1
    ((i != 2 * small / 3)) || big big-2
  done >"$scratch/paths"
  sort "$scratch/paths" >"$scratch/wanted"
  echo "$scratch/files/missing" >>"$scratch/paths"
}

big() {
  truncate -s 1T "$scratch/files/$1"
  echo "$scratch/files/$1"
}

submit_and_kill_submitter() {
  mkfifo "$scratch/pipe"
  "$program" --server "$url" submit <"$scratch/pipe" >"$scratch/never" &
  submitter=$!
  exec 5>"$scratch/pipe"
  head -n $((small / 2)) "$scratch/paths" >&5
  until_true 'some jobs are in the queue' has_jobs 100
  kill_hard $submitter
  submitter=
  exec 5>&-
  [ ! -s "$scratch/never" ] || fail 'the submitter has ended before its kill'
  echo "killed the submitter when $(count_jobs) jobs were in the queue"
}

submit_all() {
  ask submit <"$scratch/paths" >"$scratch/submitted"
  [ "$(count_jobs)" -eq "$(wc -l <"$scratch/paths")" ] \
    || fail "$(count_jobs) jobs: some are there twice, or are lost"
  echo "submitted all of them again: $(cat "$scratch/submitted")"
}

kill_worker() {
  kill_hard $worker
  echo "killed the worker with $(count_results) results, and started it again"
  start_worker
}

kill_server() {
  kill_hard $server
  kill -CONT $worker
  echo "killed the server with $(count_results) results, and started it again"
  start_server "${url##*:}"
  until_true 'the server is back' is_up
}

# -- what must come out --------------------------------------------------------

check_results() {
  cat "$scratch"/results/* >"$scratch/sums"
  sha256sum --check --quiet --strict "$scratch/sums" || fail 'a wrong result'
  cut -c 67- "$scratch/sums" | sort | diff "$scratch/wanted" - \
    || fail 'not one result for each job'
  echo "sha256sum agrees on all $(wc -l <"$scratch/sums") results," \
    'one for each file'
}

check_dead() {
  ask status >"$scratch/status"
  { echo 'jobs 0'
    echo 'dead 1'; } | diff - <(head -n 2 "$scratch/status") \
    || fail 'jobs are left, or dead for no reason'
  grep -q '^/.*/missing: .*No such file' "$scratch/status" \
    || fail 'does not say why a job is dead'
  echo "dead after $retries retries: the file that is not there"
}

tell_deliveries() {
  sed -n 's/^took [0-9]* //p' "$scratch/log" | grep -v '/missing$' | sort \
    | uniq -d >"$scratch/twice"
  grep -q /big-1 "$scratch/twice" \
    || fail 'what the killed worker had was not delivered again'
  echo "$(wc -l <"$scratch/twice") jobs were delivered more than once"
}

make_files
start_server -1
until_true 'the server has a port' has_port
until_true 'the server is up' is_up
submit_and_kill_submitter
submit_all
: >"$scratch/log"
start_worker
kill_while_hashing big-1 kill_worker
kill_while_hashing big-2 kill_server
until_true 'the worker ends, the queue being empty' has_ended "$worker"
wait "$worker" || fail 'the worker has failed'
worker=
check_results
check_dead
tell_deliveries

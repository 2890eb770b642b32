#!/usr/bin/env bash
# farm.sh PROGRAM CERTIFICATES CASE: runs one of the functions case_… below: a
# front and agents, as processes on this machine that talk by TLS.
set -euo pipefail

program=$1 certificates=$2 name=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
cd "$scratch"

clean_up() {
  local running
  running=$(jobs -pr)
  # shellcheck disable=SC2086 # numbers
  [ -z "$running" ] || kill -KILL $running 2>/dev/null || true
  cd / && rm -rf "$scratch"
}
trap clean_up EXIT

# shellcheck source=/dev/null
. "$here/../../examples/support/processes.sh"
# shellcheck source=/dev/null
. "$here/farm_processes.sh"

make_certificates() {
  sh "$certificates" known front agent
  sh "$certificates" strange agent
  echo 'a secret' >token
  echo 'another one' >wrong
}

make_files() {
  local i
  mkdir -p tree/small
  for i in {1..200}; do
    echo "$i" >"tree/small/$i"
  done
  : >tree/empty
  echo odd >$'tree/odd\nname'
}

# make_work [FILES]: keeps two agents busy for half a second and more, with 8 MiB
# in each file.
make_work() {
  local i
  for ((i = 0; i < ${1:-64}; i++)); do
    truncate -s 8M "tree/big-$i"
  done
}

check_sums() {
  find tree -type f -readable -print0 | LC_ALL=C sort -z \
    | xargs -0 sha256sum -- | diff - sums >/dev/null \
    || fail 'not one right line for each file, in order'
}

is_at_work() { ! has_ended "${pids[front]}" || fail 'the front was too fast'; }

# -- cases ---------------------------------------------------------------------

case_tree() {
  mkfifo tree/pipe
  truncate -s 3M tree/huge
  start_front --largest 1MB
  start_agent one --label fast
  ends 0 front
  check_sums
  must_say front 'a node has joined: one, 1 slot, fast'
  must_say front 'hashed 203 files, 3.0 MiB'
  must_say front 'node one: 202 files'
  must_say front 'by the front, larger than --largest: 1 file, 3.0 MiB'
  ends 0 one
  must_say one 'the pool has dismissed the node'
}

case_unreadable() {
  [ "$(id -u)" -ne 0 ] && chmod 0 tree/small/7 || ln -s nothing gone
  start_front gone
  start_agent one
  ends 1 front
  must_say front 'failed: 1'
  ends 0 one
}

# While it stands still it gets files, and cannot be done with them when it is
# killed.
case_killed_agent() {
  make_work 128
  lease=2
  start_front --capacity-bytes 32MB
  start_agent one
  until_true 'one serves' says one 'has joined the pool'
  signal STOP one
  is_at_work
  start_agent two
  until_true 'two serves' says two 'has joined the pool'
  kill_hard "${pids[one]}"
  start_agent one
  ends 0 front
  check_sums
  grep -q 'lost with a node: [1-9]' front.err || fail 'nothing was lost'
  must_say front ', 0 not hashed'
}

case_stopped_agent() {
  make_work
  lease=2
  start_front
  start_agent one
  start_agent two
  until_true 'one serves' says one 'has joined the pool'
  is_at_work
  signal STOP one
  until_true 'it is given up' says front 'a node has left or is lost: one'
  signal CONT one
  ends 0 front
  check_sums
  must_say front ', 0 not hashed'
}

case_leaving_agent() {
  make_work
  start_front
  start_agent one
  start_agent two
  until_true 'one serves' says one 'has joined the pool'
  is_at_work
  signal TERM one
  ends 0 one
  must_say one 'is leaving the pool'
  ends 0 front
  check_sums
  must_say front 'files lost with a node: 0 hashed again'
}

# Nobody listens on port 1. Either signal may be seen first.
case_second_signal() {
  port=1
  start_agent one
  until_true 'one is at it' says one 'is not connected'
  signal STOP one
  signal TERM one
  signal INT one
  signal CONT one
  ends '1[34][03]' one
}

case_wrong_token() {
  start_front
  token=wrong start_agent one
  ends 1 one
  start_agent two
  ends 0 front
  check_sums
  must_say front 'node two: '
  ! says front 'node one: ' || fail 'one has hashed'
}

case_wrong_ca() {
  start_front
  ca=strange start_agent one
  until_true 'one is refused' says one 'is not connected'
  start_agent two
  ends 0 front
  check_sums
  ! says front 'node one: ' || fail 'one has hashed'
  signal TERM one
  ends 0 one
}

case_killed_front() {
  make_work
  start_front
  start_agent one
  until_true 'one serves' says one 'has joined the pool'
  is_at_work
  kill_hard "${pids[front]}"
  until_true 'one has noticed' says one 'is not connected'
  start_front --port "$port"
  start_agent two
  ends 0 front
  check_sums
  must_say front 'a node has joined: one'
}

case_chaos() {
  make_work
  lease=2
  start_front --agents 2 --chaos
  ends 0 front
  check_sums
  must_say front 'killing agent'
  must_say front ', 0 not hashed'
}

case_interrupt() {
  start_front
  signal INT front
  ends 130 front
  must_say front 'stopped before all files were hashed'
}

case_usage() {
  local wrong status known='--ca known/ca.pem --token-file token'
  for wrong in '' nonsense 'front' 'front tree' 'agent 1.2.3.4:5' \
    "agent 1.2.3.4 $known --certificate token --key token" \
    "front tree --chaos $known --certificate token --key token"; do
    status=0
    # shellcheck disable=SC2086 # several words
    "$program" $wrong >usage.out 2>usage.err || status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2: $wrong"
    must_say usage 'Usage: farm front'
  done
  status=0
  # shellcheck disable=SC2086 # several words
  "$program" front tree $known --certificate token --key token 2>usage.err || status=$?
  [ "$status" -eq 1 ] || fail "status $status without certificates"
  must_say usage 'cannot be used'
}

make_certificates
make_files
"case_$name"

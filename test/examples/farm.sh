#!/usr/bin/env bash
# farm.sh PROGRAM CERTIFICATES CASE: runs one of the functions case_… below: a
# front, agents and submitters, as processes on this machine that talk by TLS
# through a NATS server. Exit 77 if there is no nats-server.
# shellcheck disable=SC2034,SC2154 # shared with farm_processes.sh
set -euo pipefail

program=$1 certificates=$2 name=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
cd "$scratch"

clean_up() {
  local each
  for each in $(jobs -pr); do
    kill_hard "$each"
  done
  cd / && rm -rf "$scratch"
}
trap clean_up EXIT

# shellcheck source=/dev/null
. "$here/../../apps/support/processes.sh"
# shellcheck source=/dev/null
. "$here/../../apps/support/nats_server.sh"
# shellcheck source=/dev/null
. "$here/farm_processes.sh"

# The server knows all but the stranger.
make_certificates() {
  SERVER_NAMES=127.0.0.1 sh "$certificates" known server
  sh "$certificates" known front one two own-1 own-2 reader writer stranger
  sh "$certificates" strange one
}

start_server() {
  sh "$here/../../apps/farm/nats_config" known "$@" >nats.conf
  start_nats_server . "${nats_port:-}"
}

start_usual_server() { start_server one two own-1 own-2 -- reader writer; }

make_files() {
  local i
  mkdir -p tree/small
  for i in {1..200}; do
    echo "$i" >"tree/small/$i"
  done
  : >tree/empty
  echo odd >$'tree/odd\nname'
}

# make_work [FILES]: keeps two agents busy for half a second and more, with 900
# kB in each file.
make_work() {
  local i
  for ((i = 0; i < ${1:-300}; i++)); do
    truncate -s 900KB "tree/big-$i"
  done
}

# make_lines: enough files for output before the work is done.
make_lines() {
  local i
  mkdir tree/a
  for i in {1..2000}; do
    echo "$i" >"tree/a/$i"
  done
}

# check_sums [FILE]
check_sums() {
  find tree -type f -readable -print0 | LC_ALL=C sort -z \
    | xargs -0 sha256sum -- | diff - "${1:-sums}" >/dev/null \
    || fail 'not one right line for each file, in order'
}

is_at_work() { ! has_ended "${pids[front]}" || fail 'the front was too fast'; }

# -- cases ---------------------------------------------------------------------

case_tree() {
  mkfifo tree/pipe
  truncate -s 3M tree/huge
  start_front tree --largest 1MB
  start_agent one --label fast
  ends 0 front
  check_sums
  must_say front 'a node has joined: one, 1 slot, fast'
  must_say front 'hashed 203 files, 3.0 MiB'
  must_say front 'node one: 202 files'
  must_say front 'hashed by this program, too large to send: 1 file, 3.0 MiB'
  ends 0 one
  must_say one 'the pool has dismissed the node'
}

case_unreadable() {
  if [ "$(id -u)" -ne 0 ]; then
    chmod 0 tree/small/7
    start_front tree
  else
    ln -s nothing gone
    start_front tree gone
  fi
  start_agent one
  ends 1 front
  must_say front 'failed: 1'
  ends 0 one
}

# While it stands still it gets files, and cannot be done with them when it is
# killed.
case_killed_agent() {
  make_work 400
  lease=2
  start_front tree --capacity-bytes 32MB
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
  start_front tree
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
  start_front tree
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
  nats_port=1
  start_agent one
  until_true 'one is at it' says one 'is not connected'
  signal STOP one
  signal TERM one
  signal INT one
  signal CONT one
  ends '1[34][03]' one
}

# refused: nothing is hashed by the agent one, which is running, and another one
# does the work.
refused() {
  start_agent two
  ends 0 front
  check_sums
  must_say front 'node two: '
  ! says front 'a node has joined: one' || fail 'one has joined'
  ! says front 'node one: ' || fail 'one has hashed'
  signal TERM one
  ends 0 one
}

case_wrong_ca() {
  start_front tree
  folder=strange start_agent one
  until_true 'one refuses the server' says one 'SSL handshake error'
  refused
}

# It has a certificate of the CA, but the server knows no such user.
case_wrong_user() {
  start_front tree
  mkdir forged
  cp known/ca.pem forged
  cp known/stranger.pem forged/one.pem
  cp known/stranger.key forged/one.key
  folder=forged start_agent one
  until_true 'one is refused' says one 'Authorization Violation'
  refused
}

# It poses as another node.
case_wrong_name() {
  start_front tree
  mkdir forged
  cp known/ca.pem forged
  cp known/writer.pem forged/one.pem
  cp known/writer.key forged/one.key
  folder=forged start_agent one
  until_true 'one is refused' says one 'Permissions Violation'
  refused
}

# The certificate of the server is of the right CA, but not of its host.
case_wrong_server() {
  sed -i 's,known/server,known/two,' nats.conf
  start_nats_server . # another one
  start_agent one
  until_true 'one refuses the server' says one 'IP address mismatch'
  signal TERM one
  ends 0 one
}

case_killed_front() {
  make_work
  start_front tree
  start_agent one
  until_true 'one serves' says one 'has joined the pool'
  is_at_work
  kill_hard "${pids[front]}"
  until_true 'one has noticed' says one 'the pool does not answer'
  start_front tree
  start_agent two
  ends 0 front
  check_sums
  must_say front 'a node has joined: one'
}

case_killed_server() {
  make_work
  start_front tree
  start_agent one
  until_true 'one serves' says one 'has joined the pool'
  is_at_work
  kill_hard "$nats_server"
  start_usual_server
  ends 0 front
  check_sums
  must_say front ', 0 not hashed'
}

# An agent that the server does not know yet is let in when it does.
case_new_agent() {
  kill_hard "$nats_server"
  start_server two
  start_front tree
  start_agent one
  until_true 'one is refused' says one 'is not connected'
  sh "$here/../../apps/farm/nats_config" known one two >nats.conf
  kill -HUP "$nats_server"
  ends 0 front
  check_sums
  must_say front 'node one: '
}

case_submitters() {
  truncate -s 3M tree/huge
  start_front
  start_submitter reader
  start_submitter writer
  start_agent one
  ends 0 reader
  check_sums reader.sums
  must_say reader 'hashed 203 files, 3.0 MiB'
  must_say reader 'node one: 202 files'
  must_say reader 'hashed by this program, too large to send: 1 file, 3.0 MiB'
  ends 0 writer
  check_sums writer.sums
  signal TERM front
  ends 143 front
  ends 0 one
}

# What it has sent is cancelled, or hashed for nothing; others are served.
case_killed_submitter() {
  make_work 600
  make_lines
  start_front
  start_agent one
  start_submitter reader --retry 20
  until_true 'reader submits' [ -s reader.sums ]
  ! has_ended "${pids[reader]}" || fail 'the submitter was too fast'
  kill_hard "${pids[reader]}"
  start_submitter reader --retry 20
  ends 0 reader
  check_sums reader.sums
  signal TERM front
  ends 143 front
}

case_front_of_submitter_killed() {
  make_work 600
  make_lines
  lease=2
  start_front
  start_agent one
  start_submitter reader --retry 20
  until_true 'reader submits' [ -s reader.sums ]
  ! has_ended "${pids[reader]}" || fail 'the submitter was too fast'
  kill_hard "${pids[front]}"
  start_front
  ends 0 reader
  check_sums reader.sums
  must_say reader ', 0 not hashed'
}

# Each part is killed once, and no file is hashed wrong or left out.
case_durable() {
  make_work 600
  make_lines
  start_durable_front first
  until_true 'first serves' says first 'farm: serves'
  start_durable_front second
  until_true 'second waits' says second 'waits: another program serves the pool'
  start_agent one
  start_agent two
  start_submitter reader --durable
  until_true 'reader submits' [ -s reader.sums ]
  ! has_ended "${pids[reader]}" || fail 'the submitter was too fast'
  kill_hard "${pids[reader]}"
  start_submitter reader --durable
  until_true 'reader submits again' [ -s reader.sums ]
  ! has_ended "${pids[reader]}" || fail 'the submitter was too fast'
  kill_hard "${pids[first]}"
  kill_hard "${pids[one]}"
  start_agent one
  until_true 'second serves' says second 'farm: serves'
  kill_hard "$nats_server"
  start_usual_server
  ends 0 reader
  check_sums reader.sums
  signal TERM second
  ends 143 second
}

# Digests are kept for a submitter that is started again, when there is neither a
# front nor an agent. A file with the same size and times is hashed again if its
# content differs.
case_durable_digests_kept() {
  start_durable_front first
  start_agent one
  start_submitter reader --durable
  ends 0 reader
  check_sums reader.sums
  signal TERM one
  ends 0 one
  signal TERM first
  ends 143 first
  must_say first 'ends what the pool has'
  start_submitter reader --durable
  ends 0 reader
  check_sums reader.sums
  must_say reader 'node one: 202 files'
  touch -r tree/small/7 times
  echo 8 >tree/small/7
  touch -r times tree/small/7
  start_durable_front first
  start_agent two
  start_submitter reader --durable
  ends 0 reader
  check_sums reader.sums
  must_say reader 'node two: 1 file'
  must_say reader 'node one: 201 files'
}

# Neither the front that is told to end nor the one that takes over loses a file.
case_durable_front_drained() {
  make_work 600
  make_lines
  start_durable_front first
  until_true 'first serves' says first 'farm: serves'
  start_durable_front second
  start_agent one
  start_submitter reader --durable
  until_true 'reader submits' [ -s reader.sums ]
  ! has_ended "${pids[reader]}" || fail 'the submitter was too fast'
  signal TERM first
  ends 143 first
  must_say first '0 hashed again, 0 not hashed'
  ends 0 reader
  check_sums reader.sums
}

# A front that was suspended for too long ends, with an error.
case_standby() {
  start_durable_front first
  until_true 'first serves' says first 'farm: serves'
  start_durable_front second
  until_true 'second waits' says second 'waits: another program serves the pool'
  signal STOP first
  until_true 'second serves' says second 'farm: serves'
  signal CONT first
  ends 1 first
  must_say first 'the pool has ended: '
  signal INT second
  ends 130 second
}

case_no_front() {
  start_submitter reader --retry 0
  ends 1 reader
  must_say reader 'cannot be reached'
  must_say reader 'failed: 202'
}

case_local() {
  "$program" front tree --local --agents 3 >sums 2>front.err
  check_sums
  must_say front 'a node has joined: own-3, 1 slot'
  must_say front 'hashed 202 files'
}

case_chaos() {
  make_work
  lease=2
  start_front tree --agents 2 --chaos
  ends 0 front
  check_sums
  must_say front 'killing agent'
  must_say front ', 0 not hashed'
}

case_interrupt() {
  start_front tree
  signal INT front
  ends 130 front
  must_say front 'stopped before all files were hashed'
}

case_usage() {
  local wrong status server='--server tls://127.0.0.1:1'
  while read -r wrong; do
    status=0
    # shellcheck disable=SC2086 # several words
    "$program" $wrong >usage.out 2>usage.err || status=$?
    [ "$status" -eq 2 ] || fail "status $status, not 2: $wrong"
    must_say usage 'Usage: farm front'
  done <<END

nonsense
front
front tree
front tree $server
front tree --certificates known
front tree $server --certificates known --insecure-loopback
front tree $server --certificates known --chaos
front tree $server --local
front --local
front tree --local --agents 2 --chaos
front tree $server --certificates known --durable
front tree $server --certificates known --standby 2
front $server --certificates known --standby 0.5
agent $server --certificates known
agent $server --certificates known --name nobody
agent --server tls://127.0.0.1 --certificates known --name one
agent --server nats://127.0.0.1:1 --certificates known --name one
agent --server nats://192.0.2.1:1 --insecure-loopback
submit $server --certificates known --name reader
END
  cp known/front.key known/front.pem
  status=0
  # shellcheck disable=SC2086 # several words
  "$program" front tree $server --certificates known 2>usage.err || status=$?
  [ "$status" -eq 1 ] || fail "status $status without certificates"
  must_say usage 'cannot use the certificate'
}

skip_without_nats_server farm
make_certificates
make_files
start_usual_server
"case_$name"

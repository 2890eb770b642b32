#!/bin/sh
# One node joins again and again as other runs under other names, and never
# answers: the pool goes on, forgets each run after a lease, and keeps nothing of
# it. Large introductions are forgotten as well.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# has_sent TIMES
has_sent() { [ "$(grep -c '^sent' "$scratch/many.said")" -eq "$1" ]; }

# shellcheck disable=SC2119 # no further names
make_certificates
documented_configuration >"$scratch/nats.conf"
start_secured_server
start_pool 1000 --retries 10
start_node agent
start_client 12000
squared client 1 2 3
start_raw many agent
tell many subscribe 'libpool.squares.node.agent.*'
times=0
before=

# says_hello LINE: as `raw` reads it.
says_hello() {
  times=$((times + 1))
  tell many "$1" libpool.squares agent
  squared client "1$times"
  until_true 'the runs have said hello' has_sent "$times"
  squared client "2$times"
}

# Fifteen thousand runs would take 60 MB.
for _ in 1 2 3 4 5; do
  says_hello 'join 3000'
  await pool nodes 1
  before=${before:-$(kilobytes)} # once there is room for a round of them
done
has_grown_by_less 30000 "$before" \
  || fail "the pool has $(kilobytes) kB, and had $before kB"
tell pool tell joined joined
until_true 'the pool tells how many have joined' grep -q '^joined: ' \
  "$scratch/pool.said"
joined=$(sed -n 's/^joined: joined is //p' "$scratch/pool.said")
[ "$joined" -gt 3000 ] || fail "only $joined runs have joined"

# A hundred introductions of 500 kB.
for _ in 1 2 3; do
  says_hello 'labels 500000 100'
  until_true 'the introductions are forgotten' has_grown_by_less 40000 "$before"
done
await pool nodes 1

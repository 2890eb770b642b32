#!/bin/sh
# A client that is killed: what it has asked for is dropped unless a node has it,
# and the pool goes on.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

# What the node has may begin, and be held.
is_answered() {
  tell one release
  grep -qx '20 = 400' "$scratch/pool.said"
}

start_server
start_pool 1000
start_node one --slots 1
start_client 1000
for i in 1 2 3 4 5 6 7 8; do
  tell client hold "$i"
done
await pool open 8
said one 'began 1'
end client
pause 4 # after two leases without it, the client is missed
tell pool square 20
until_true 'the pool has its answer' is_answered
await pool open 0
said_once one 'began 1'
started=$(grep -c '^began' "$scratch/one.said")
await pool cancelled "$((8 - started))"
start_client 1000
squared client 10 11
is_now pool nodes 1
is_now pool lost 0

#!/bin/sh
# The program that serves a pool is killed: its client is told, and the nodes
# find the next one by themselves.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

has_begun_twice() {
  [ "$(cat "$scratch/one.said" "$scratch/two.said" | grep -cx 'began 2')" -eq 2 ]
}

start_server
start_pool 1000
start_node one --slots 4
start_node two --slots 4
start_client 1000 --retries 0 --patience 2000
start other ask --lease 1000 --retries 3 --patience 100000
tell client hold 1
until_true 'a node has begun 1' grep -qx 'began 1' "$scratch/one.said" \
  "$scratch/two.said"
tell other hold 2
until_true 'a node has begun 2' grep -qx 'began 2' "$scratch/one.said" \
  "$scratch/two.said"
end pool
said client '1 ! front_lost'
tell client square 3
said client '3 ! not_connected'
is_now other waiting 1 # it is sent again

start_pool 1000
await pool nodes 2
await client nodes 1
squared client 4 5 6
tell one release
tell two release
until_true 'a node begins 2 again' has_begun_twice
tell one release
tell two release
said_once other '2 = 4'

#!/bin/sh
# Random bytes from a node and from a client have no effect: those of the node
# are counted, and the pool goes on.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# shellcheck disable=SC2119 # no further names
make_certificates
documented_configuration >"$scratch/nats.conf"
start_working_pool
is_now pool strays 0
start_raw node_like agent
tell node_like random 1000 libpool.squares.front.agent.1
said node_like 'sent 1000'
await pool strays 1000
start_raw client_like client
tell client_like random 1000 libpool.squares.submit.client.1
said client_like 'sent 1000'
squared client 4 5 6
is_now pool nodes 1
is_now pool joined 1
is_now pool lost 0
is_now pool accepted 6

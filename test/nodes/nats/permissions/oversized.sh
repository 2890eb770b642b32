#!/bin/sh
# A client that sends more than `max_payload`, or a subject without an end, loses
# its connection, and the pool goes on.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# is_cut NAME REASON: the server closes the connection, and its log has the reason.
is_cut() {
  prints "$1" 'closed: '
  until_true "the log has '$2'" log_has "$2"
}

# shellcheck disable=SC2119 # no further names
make_certificates
documented_configuration >"$scratch/nats.conf"
start_working_pool
start_raw fitting client
tell fitting publish libpool.squares.submit.client.1 1000000
said fitting 'publish libpool.squares.submit.client.1 1000000: passed'
start_raw large client
tell large publish libpool.squares.submit.client.1 2000000
is_cut large 'maximum payload exceeded: 2000000'
start_raw larger agent
tell larger publish libpool.squares.front.agent.1 200000000
is_cut larger 'maximum payload exceeded: 200000000'
start_raw endless client
tell endless publish "libpool.squares.submit.client.$(printf %05000d 0)"
is_cut endless 'maximum control line'
squared client 4 5 6
tell fitting publish libpool.squares.submit.client.1
said fitting 'publish libpool.squares.submit.client.1: passed'
is_now pool nodes 1
is_now pool lost 0

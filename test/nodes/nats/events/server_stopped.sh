#!/bin/sh
# The NATS server stands still for half a lease, and later for longer than one:
# in half a lease nothing is lost. After a longer time, the work is done all the
# same, if the pool retries.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

# The task may run again, and be held again.
is_answered() {
  tell one release
  grep -qx '4 = 16' "$scratch/client.said"
}

start_server
start_pool 8000 --retries 0
start_node one
start_client 8000 --retries 0
tell pool hold 1
tell client hold 2
said one 'began 1' 'began 2'
stop server
tell client square 3
tell one release
pause 4
go_on server
said_once pool '1 = 1'
said_once client '2 = 4' '3 = 9'
said_once one 'began 1' 'began 2'
is_now pool lost 0
end pool
end one
end client

start_pool 1000
start_node one
start_client 1000 --patience 100000
tell client hold 4
said one 'began 4'
stop server
await pool nodes 0
await client nodes 0
go_on server
await client nodes 1
until_true 'the client has its answer' is_answered
squared client 5 6
said_once client '4 = 16'

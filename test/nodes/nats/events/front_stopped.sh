#!/bin/sh
# The program that serves a pool stands still, for less and for more than a
# lease: no node is lost. A client waits for less than a lease, and is told.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 8000
start_node one
start_client 8000 --retries 0
tell pool hold 1
tell client hold 2
said one 'began 1' 'began 2'
stop pool
pause 1
go_on pool
tell one release
said_once pool '1 = 1'
said_once client '2 = 4'
is_now pool lost 0
end pool
end one
end client

start_pool 1000
start_node one --slots 3
start_client 1000 --retries 0
tell pool hold 3
tell client hold 4
said one 'began 3' 'began 4'
stop pool
said client '4 ! front_lost'
pause 1
go_on pool
await client nodes 1
squared client 5
tell one release
said_once pool '3 = 9'
said_once one 'began 3' 'began 4'
is_now pool lost 0
is_now pool nodes 1

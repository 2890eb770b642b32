#!/bin/sh
# A node that stands still. For less than a lease: nothing is lost. For longer:
# what it has runs again on another one, and it serves again when it goes on.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 8000
start_node one
tell pool hold 1
said one 'began 1'
stop one
pause 1
go_on one
tell one release
said pool '1 = 1'
is_now pool lost 0
end pool
end one

start_pool 1000
start_node one
tell pool hold 2
said one 'began 2'
stop one
start_node two
said two 'began 2'
go_on one
await pool nodes 2
tell one release # nobody waits for this result
tell two release
said pool '2 = 4'
squared pool 3 4 5 6
said_once pool '2 = 4'
end two
squared pool 7

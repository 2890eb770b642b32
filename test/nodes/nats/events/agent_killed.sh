#!/bin/sh
# A node that is killed: what it has runs again on another one, or fails if the
# pool does not retry.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000
start_node one
tell pool hold 1
tell pool hold 2
said one 'began 1' 'began 2'
start_node two
end one
said two 'began 1' 'began 2'
tell two release
said_once pool '1 = 1' '2 = 4'
is_now pool lost 2
end pool
end two

start_pool 1000 --retries 0
start_node one
tell pool hold 3
said one 'began 3'
end one
said pool '3 ! node_lost'
start_node two
squared pool 4

#!/bin/sh
# A pool whose nodes are all gone: its tasks wait for the next one.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000
start_client 1000
start_node one
start_node two
squared client 1 2 3
end one
end two
await pool nodes 0
for i in 4 5 6; do
  tell client square "$i"
done
await pool open 3
start_node three
said_once client '4 = 16' '5 = 25' '6 = 36'
is_now pool lost 0

#!/bin/sh
# A node that does not know a type of messages: these go to a node that does, and
# fail with the reason while there is none. All others go to either.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000
start_client 1000
start_node old
squared client 1 2 3
tell client note 4
said client '4 ! unreadable'
start_node new --new
await pool nodes 2
for i in 5 6 7 8 9; do
  tell client note "$i"
  said client "$i = $i!"
  squared client "1$i"
done
end new
squared client 20
tell client note 21
said client '21 ! unreadable'

#!/bin/sh
# Nodes are replaced one after the other under load: nothing is lost.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000 --retries 0
start_client 1000 --retries 0
start_node one
start_node two
await pool nodes 2
tell client flood 20000
for pair in 'one three' 'two four' 'three five' 'four six'; do
  start_node "${pair#* }"
  await pool nodes 3
  tell "${pair% *}" drain
  leaves "${pair% *}"
  await pool nodes 2
done
said client 'flood: 20000 right, 0 wrong'
is_now pool lost 0

#!/bin/sh
# Messages that are larger than the server carries are refused, in both
# directions, and disturb nobody. Many that are as large as possible arrive.
# The lease is longer than all of that takes on a busy machine: a node that is
# not heard for a lease is lost, whatever the reason.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 30000
start_client 30000
start_node one --slots 4
tell client large 1 "$((64 << 20))"
said client '1 ! too_large'
tell pool large 2 "$((64 << 20))"
said pool '2 ! too_large'
tell client answer 3 "$((64 << 20))"
said client '3 ! too_large'
tell pool answer 4 "$((64 << 20))"
said pool '4 ! too_large'
for i in $(seq 100 200); do
  tell client answer "$i" 1000000
  tell client large "$((i + 200))" 1000000
done
for i in $(seq 100 200); do
  said_once client "$i = 1000000" "$((i + 200)) = 1000000"
done
squared client 5
is_now pool lost 0
is_now pool nodes 1

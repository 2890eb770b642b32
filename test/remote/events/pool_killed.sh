#!/bin/sh
# A pool that is killed, and another one at its port: the nodes find it.
. "$(dirname "$0")/farm.sh"
start_pool
start_node "$port"
start_node "$port"
asked 1 2 3
squared 1 2 3
kill -9 "$pool"
exec 3>&- 4<&-
wait "$pool" || :
start_pool "$port"
asked 4 5 6
squared 4 5 6

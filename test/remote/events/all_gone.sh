#!/bin/sh
# A pool whose nodes are all gone: its tasks wait for the next one.
. "$(dirname "$0")/farm.sh"
start_pool
read -r _ <&4
start_node "$port" 127.0.0.1
asked 1 2 3
squared 1 2 3
kill -9 "$node"
counted nodes 0
asked 4 5 6
start_node "$port" 127.0.0.1
squared 4 5 6
none_was_lost

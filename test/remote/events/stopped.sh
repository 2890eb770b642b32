#!/bin/sh
# A node that stops: what it had runs again on another one when its lease is over.
# When it goes on it serves again.
. "$(dirname "$0")/farm.sh"
start_pool
start_node "$port"
first=$node
asked 1 2 3
squared 1 2 3
kill -STOP "$first"
start_node "$port"
asked 4 5 6
squared 4 5 6
kill -CONT "$first"
kill -9 "$node"
asked 7 8 9
squared 7 8 9

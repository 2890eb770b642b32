#!/bin/sh
# A node that is killed: what it had runs again on another one.
. "$(dirname "$0")/farm.sh"
start_pool
start_node "$port"
asked 1 2 3
squared 1 2 3
first=$node
start_node "$port"
kill -9 "$first"
asked 4 5 6
squared 4 5 6

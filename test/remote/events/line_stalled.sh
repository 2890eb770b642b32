#!/bin/sh
# A line on which nothing passes: its node is given up, another one does the
# work, and the first one serves again when the line is well.
. "$(dirname "$0")/farm.sh"
start_pool
start_relay
start_node "$line"
first=$node
asked 1 2 3
squared 1 2 3
the_line stall
asked 4 5 6
start_node "$port"
squared 4 5 6
the_line go
kill -9 "$node"
asked 7 8 9
squared 7 8 9
kill -9 "$first"

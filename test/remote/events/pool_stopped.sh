#!/bin/sh
# A pool that stands still for longer than a lease, and goes on.
. "$(dirname "$0")/farm.sh"
start_pool
start_node "$port"
asked 1 2 3
squared 1 2 3
kill -STOP "$pool"
timeout 3 tail -f /dev/null --pid="$pool" || :
kill -CONT "$pool"
asked 4 5 6
squared 4 5 6

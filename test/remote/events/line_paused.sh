#!/bin/sh
# A line on which nothing passes for somewhat longer than a node waits between
# its signs of life, which is a quarter of a lease, again and again: no task is
# lost by that. A second would remain before one is.
. "$(dirname "$0")/farm.sh"
start_pool 127.0.0.1 4
read -r _ <&4
start_relay
start_node "$line" 127.0.0.1
asked 1 2 3
squared 1 2 3
for each in 4 5 6; do
  the_line stall
  asked "$each"
  timeout 1.1 tail -f /dev/null --pid="$pool" || :
  the_line go
  squared "$each"
  # The answer to a sign of life has come before the next task.
  asked 7
  squared 7
done
none_was_lost

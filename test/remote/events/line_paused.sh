#!/bin/sh
# A line on which nothing passes for less than three quarters of a lease, again
# and again: no task is lost by that.
. "$(dirname "$0")/farm.sh"
start_pool
read -r _ <&4
start_relay
start_node "$line" 127.0.0.1
asked 1 2 3
squared 1 2 3
for each in 4 5 6 7 8; do
  the_line stall
  asked "$each"
  timeout 0.3 tail -f /dev/null --pid="$pool" || :
  the_line go
  squared "$each"
done
counted lost 0

#!/bin/sh
# A line that is cut again and again: its node comes back each time.
. "$(dirname "$0")/farm.sh"
start_pool
start_relay
start_node "$line"
asked 1 2 3
squared 1 2 3
for each in 4 5 6 7; do
  the_line reset
  asked "$each"
  squared "$each"
done

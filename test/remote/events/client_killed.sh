#!/bin/sh
# A client that is killed: nobody waits any more for what it has asked.
. "$(dirname "$0")/farm.sh"
start_pool
read -r counter <&4
tail -f /dev/null --pid="$$" | "$nodes" ask "$scratch/known" "$counter" 20 &
client=$!
running="$running $client"
counted waiting 20
kill -9 "$client"
timeout 0.5 tail -f /dev/null --pid="$pool" || : # until that is noticed
start_node "$port" 127.0.0.1
asked 7
squared 7
counted cancelled 20

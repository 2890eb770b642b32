#!/bin/sh
# A client that is killed: nobody waits any more for what it has asked.
. "$(dirname "$0")/farm.sh"
start_pool
read -r counter <&4
mkfifo "$scratch/client"
tail -f /dev/null --pid="$$" \
  | "$nodes" ask "$scratch/known" "$counter" 20 >"$scratch/client" &
client=$!
running="$running $client"
read -r _ <"$scratch/client"
kill -9 "$client"
until asked cancelled && read -r count <&4 && [ "$count" -eq 20 ]; do
  timeout 0.05 tail -f /dev/null --pid="$pool" || :
done
start_node "$port" 127.0.0.1
asked 7
squared 7

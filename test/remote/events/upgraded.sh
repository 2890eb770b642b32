#!/bin/sh
# A node that does not know a type of messages: these go to one that does, and
# fail with the reason while there is none; all others go to either.
. "$(dirname "$0")/farm.sh"
start_pool
read -r _ <&4
start_node "$port" 127.0.0.1 old
asked 1 2 3
squared 1 2 3
asked one
said 'cannot read the content: '
start_node "$port" 127.0.0.1 new
counted nodes 2
for each in one two three four five six; do
  asked "$each" 5
  said "$each!"
  squared 5
done
kill -9 "$node"
asked 6
squared 6
asked one
said 'cannot read the content: '

#!/bin/sh
# The servers keep the messages of a durable queue while the front, a client,
# the server or all of them are killed. Each request is answered once.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

# start_front RETRIES: of messages whose front was lost.
start_front() {
  start pool pool --lease 1000 --retries 0 --durable --durable-retries "$1"
}
start_asker() {
  start client ask --durable --ids --patience 100000
}

# was_begun N COUNT: the handler has begun so many times in all.
was_begun() {
  [ "$(grep -cx "began $1" "$scratch/one.said")" -eq "$2" ] \
    || fail "$1 was not begun $2 times"
}

server_options="--jetstream --store_dir $scratch/store"
start_server

# No program has made the queue.
start early ask --name early --durable --patience 100
tell early square 1
said early '1 ! not_connected'
start_asker
start_front 0
start_node one --slots 4
squared client 1
squared early 2

# A front that is not there: the queue keeps the message.
end pool
tell client square 3
start_front 0
said_once client '3 = 9'

# A front that is killed: the node answers the next one, with what runs and with
# what has ended meanwhile.
tell client hold 4
said one 'began 4'
end pool
start_front 0
await one sessions 1
pause 2
tell one release
said_once client '4 = 16'
tell client hold 5
said one 'began 5'
end pool
tell one release
start_front 0
said_once client '5 = 25'
was_begun 4 1
was_begun 5 1

# A front that is killed with its node: the message may have begun.
tell client hold 10
said one 'began 10'
end pool
end one
start_front 0
start_node one --slots 4
said_once client '10 ! front_lost'

# The same with a retry.
end pool
start_front 1
tell client hold 11
said one 'began 11'
end pool
end one
start_front 1
start_node one --slots 4
said one 'began 11'
tell one release
said_once client '11 = 121'

# A client that is killed, and asks again: the handler runs once.
tell client hold 6
said one 'began 6'
end client
tell one release
start_asker
tell client hold 6
said_once client '6 = 36'
was_begun 6 1

# A server that is killed while a handler runs.
tell client hold 7
said one 'began 7'
end server
start_server
tell one release
said_once client '7 = 49'
was_begun 7 1

# Everything is killed: messages that wait are there afterwards.
end one
tell client hold 8
end client
end pool
end server
start_server
start_front 1
start_node one --slots 4
start_asker
tell client hold 8
said one 'began 8'
tell one release
said_once client '8 = 64'

#!/bin/sh
# Two programs serve one name in turn. One of them is killed, suspended or told
# to end, or the server is restarted: each request is answered once.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

# start_front NAME: with a standby, after 2 s.
start_front() { start "$1" pool --lease 1000 --standby 2000; }

# serves NAME COUNT: the program has begun to serve so many times.
serves() { until_true "$1 serves" is_serving "$1" "$2"; }
is_serving() { [ "$(grep -cx serves "$scratch/$1.said")" -eq "$2" ]; }

waits_for_other='waits: another program serves the pool'
server_options="--jetstream --store_dir $scratch/store"
start_server
start_front first
serves first 1
start_front second
said second "$waits_for_other"
start_node one --slots 4
start_client 1000 --retries 3 --patience 100000
squared client 1

# Killed: the other takes over, and the client sends its request again.
tell client hold 2
said one 'began 2'
end first
serves second 1
await client nodes 1
until_true 'the node begins 2 again' \
  sh -c "[ \"\$(grep -cx 'began 2' '$scratch/one.said')\" -eq 2 ]"
tell one release
said_once client '2 = 4'
squared client 3

# Restarted: the front keeps its name.
start_front first
said first "$waits_for_other"
end server
said second 'ready'
pause 1
start_server
squared client 4
is_serving first 0 || fail 'the standby serves after the restart of the server'

# Suspended: it ends when it finds that the other has taken over.
stop second
serves first 1
await client nodes 1
squared client 5
go_on second
said second 'ended: front_lost'
squared client 6
end second

# Ended: its name is free at once.
start_front second
said second "$waits_for_other"
tell first end
serves second 1
squared client 7

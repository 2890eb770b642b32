#!/bin/sh
# The line between a node and the server is cut again and again, or lets nothing
# pass for a while: the session goes on, nothing is lost, and nothing happens
# twice. If nothing passes for longer than a lease, another node does the work.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"

# start_relay: stands before the server, for programs that are started next.
start_relay() {
  mkfifo "$scratch/relay.told"
  "$relay" "$port" <>"$scratch/relay.told" >"$scratch/relay.said" &
  running="$running $!"
  until_true 'the relay has a port' [ -s "$scratch/relay.said" ]
  direct=$url
  url=nats://127.0.0.1:$(head -n 1 "$scratch/relay.said")
}

relay=$2
start_server
start_pool 20000 --retries 0
start_relay
start_node one
for i in 1 2 3 4; do
  tell pool hold "$i"
  said one "began $i"
  tell relay reset
  tell one release
  tell pool square "1$i"
  said pool "$i = $((i * i))" "1$i = $((1$i * 1$i))"
done
tell pool hold 5
said one 'began 5'
tell relay stall
tell one release
tell pool square 15
pause 1
tell relay go
said pool '5 = 25' '15 = 225'
said_once one 'began 1' 'began 2' 'began 3' 'began 4' 'began 5'
is_now pool lost 0
is_now pool nodes 1
end pool
end one

url=$direct
start_pool 1000
url=nats://127.0.0.1:$(head -n 1 "$scratch/relay.said")
start_node one
tell pool hold 6
said one 'began 6'
tell relay stall
url=$direct
start_node two
said two 'began 6'
tell one release
tell relay go
await pool nodes 2
tell two release
said_once pool '6 = 36'
squared pool 7 8 9

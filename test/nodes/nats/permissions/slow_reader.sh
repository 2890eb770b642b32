#!/bin/sh
# A client that does not read does not keep another one waiting. While answers as
# large as its credit wait, the pool begins none of its messages. It gets all
# answers when it reads again.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# from FIRST LAST
from() {
  i=$1
  while [ "$i" -le "$2" ]; do
    echo "$i"
    i=$((i + 1))
  done
}

has_answers() {
  [ "$(grep -c ' = 1000000$' "$scratch/client.said")" -eq 200 ]
}

make_certificates other
documented_configuration | with_user other client >"$scratch/nats.conf"
start_secured_server
start_pool 12000 --messages-of-client 32
start_node agent --slots 1
start_client 60000
start other ask --user other --name other --lease 60000
squared client 1 2 3
squared other 4 5 6
before=$(kilobytes)

# The node is held up until the client has sent what it may, and stands still.
tell other hold 7
said agent 'began 7'
for i in $(from 101 300); do
  tell client answer "$i" 1000000
done
await pool accepted 39
stop client
tell agent release
said other '7 = 49'
for i in $(from 11 60); do
  tell other square "$i"
done
said other '60 = 3600'
await pool open 0
# All answers would take 200 MB.
has_grown_by_less 80000 "$before" \
  || fail "the pool has $(kilobytes) kB, and had $before kB"
go_on client
until_true 'the client has all answers' has_answers
[ "$(grep ' = 1000000$' "$scratch/client.said" | sort -u | wc -l)" -eq 200 ] \
  || fail 'an answer has come twice'
is_now pool lost 0

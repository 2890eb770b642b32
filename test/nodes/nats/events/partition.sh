#!/bin/sh
# A network that is parted, with two network namespaces: frames are dropped. For
# less than a lease: nothing is lost. For longer: the node on the other side is
# given up, one on this side does the work, the client on the other side is told,
# and all work again when the network is whole. Skipped where there may be no
# namespaces.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
me=libpool$$
here=$me-a
there=$me-b
trap 'clean_up; ip netns del "$here" 2>/dev/null || :
  ip netns del "$there" 2>/dev/null || :' EXIT
if ! ip netns add "$here" 2>/dev/null \
  || ! ip netns add "$there" 2>/dev/null \
  || ! ip link add name pa netns "$here" type veth peer name pb netns "$there"; then
  echo 'skipped: no network namespaces can be made here'
  exit 77
fi
ip -n "$here" addr add 10.77.0.1/24 dev pa
ip -n "$there" addr add 10.77.0.2/24 dev pb
for each in "$here pa" "$there pb"; do
  # shellcheck disable=SC2086 # two words
  set -- "$1" "$2" "$3" $each
  ip -n "$4" link set "$5" up
  ip -n "$4" link set lo up
done
"$3" "$scratch/known" server front agent client >/dev/null

# part and heal: frames go to an address that no interface has, or arrive again.
part() {
  ip -n "$here" neigh replace 10.77.0.2 lladdr 02:00:00:00:00:02 dev pa nud permanent
  ip -n "$there" neigh replace 10.77.0.1 lladdr 02:00:00:00:00:01 dev pb nud permanent
}
heal() {
  ip -n "$here" neigh del 10.77.0.2 dev pa
  ip -n "$there" neigh del 10.77.0.1 dev pb
}

# shellcheck disable=SC2034 # farm.sh uses these
{
  address=10.77.0.1
  server_options="--tls --tlscert $scratch/known/server.pem
    --tlskey $scratch/known/server.key --tlscacert $scratch/known/ca.pem
    --tlsverify"
  party_options="--folder $scratch/known"
  in="ip netns exec $here"
}
start_server
url=tls://10.77.0.1:$port
start_pool 8000 --retries 0
in="ip netns exec $there"
start_node one --slots 1
start_client 8000 --retries 0
tell client hold 1
said one 'began 1'
part
tell one release
tell client square 2
pause 1
heal
said client '1 = 1' '2 = 4'
is_now pool lost 0
end pool
end one
end client

in="ip netns exec $here"
start_pool 1000
in="ip netns exec $there"
start_node one
start_client 1000 --retries 0 --patience 1000
tell pool hold 3
said one 'began 3'
tell client hold 4
said one 'began 4'
part
in="ip netns exec $here"
start_node two
said client '4 ! front_lost'
tell client square 5
said client '5 ! not_connected'
said two 'began 3'
tell one release
heal
await pool nodes 2
await client nodes 1
tell two release
said_once pool '3 = 9'
squared client 6 7
end two
squared client 8

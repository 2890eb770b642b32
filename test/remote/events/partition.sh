#!/bin/sh
# A network that is parted, between two network namespaces: the node on the other
# side is given up, the one on this side does the work, and the first one serves
# again when the network is whole. Skipped where there may be no namespaces.
me=libpool$$
here=$me-a
there=$me-b
if ! ip netns add "$here" 2>/dev/null; then
  echo 'skipped: no network namespace can be made here'
  exit 77
fi
. "$(dirname "$0")/farm.sh"
trap 'kill -9 $running 2>/dev/null || :; rm -rf "$scratch"
  ip netns del "$here" || :; ip netns del "$there" || :' EXIT
ip netns add "$there"
ip link add name pa netns "$here" type veth peer name pb netns "$there"
ip -n "$here" addr add 10.77.0.1/24 dev pa
ip -n "$there" addr add 10.77.0.2/24 dev pb
for each in "$here pa" "$there pb"; do
  # shellcheck disable=SC2086 # two words
  set -- $each
  ip -n "$1" link set "$2" up
  ip -n "$1" link set lo up
done
party=$nodes

# in_namespace NAME: what is started from now on is in there.
in_namespace() {
  printf '#!/bin/sh\nexec ip netns exec %s "%s" "$@"\n' "$1" "$party" \
    >"$scratch/in-$1"
  chmod +x "$scratch/in-$1"
  nodes=$scratch/in-$1
}

# part and heal: frames go to an address that nobody has, or arrive again.
part() {
  ip -n "$here" neigh replace 10.77.0.2 lladdr 02:00:00:00:00:02 dev pa nud permanent
  ip -n "$there" neigh replace 10.77.0.1 lladdr 02:00:00:00:00:01 dev pb nud permanent
}
heal() {
  ip -n "$here" neigh del 10.77.0.2 dev pa
  ip -n "$there" neigh del 10.77.0.1 dev pb
}

in_namespace "$here"
start_pool 10.77.0.1
read -r _ <&4
in_namespace "$there"
start_node "$port" 10.77.0.1
asked 1 2 3
squared 1 2 3
part
asked 4 5 6
in_namespace "$here"
start_node "$port" 10.77.0.1
squared 4 5 6
heal
kill -9 "$node"
asked 7 8 9
squared 7 8 9

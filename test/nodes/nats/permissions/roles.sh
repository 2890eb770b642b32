#!/bin/sh
# The permissions of the documented configurations let each user only do what it
# is for: everything else is refused, while a pool, a node and a client work.
# Each attempt passes if the permissions are loosened, so that it is these which
# refuse it.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# attempts POOL AGENT CLIENT: prints lines "USER may|must-not LINE", with LINE as
# `raw` reads it. AGENT and CLIENT are as in subjects; `two` and `writer` are
# another agent and another client.
attempts() {
  p=libpool.$1 a=$2 c=$3
  cat <<END
client may publish $p.submit.$c.1
client may subscribe $p.client.$c.1
client may subscribe $p.client.$c.*
client must-not publish $p.submit.$c
client must-not publish $p.submit.$c.1.2
client must-not publish $p.submit.writer.1
client must-not publish $p.submit.$a.1
client must-not publish $p.submit.*.1
client must-not publish $p.submit.>
client must-not publish $p.client.$c.1
client must-not publish $p.client.writer.1
client must-not publish $p.node.$a.1
client must-not publish $p.node.$c.1
client must-not publish $p.node.$a.*
client must-not publish $p.front.$a.1
client must-not publish $p.front.$c.1
client must-not publish libpool.other.submit.$c.1
client must-not publish other.$1.submit.$c.1
client must-not publish _INBOX.1
client must-not publish \$SYS.REQ.SERVER.PING
client must-not publish \$JS.API.INFO
client must-not subscribe >
client must-not subscribe *.>
client must-not subscribe libpool.>
client must-not subscribe libpool.*.client.$c.*
client must-not subscribe $p.>
client must-not subscribe $p.*.$c.*
client must-not subscribe $p.client.>
client must-not subscribe $p.client.*.*
client must-not subscribe $p.client.*.1
client must-not subscribe $p.client.writer.*
client must-not subscribe $p.client.writer.1
client must-not subscribe $p.client.writer.* work
client must-not subscribe $p.submit.>
client must-not subscribe $p.submit.$c.*
client must-not subscribe $p.submit.> work
client must-not subscribe $p.node.>
client must-not subscribe $p.node.$a.*
client must-not subscribe $p.node.$c.*
client must-not subscribe $p.front.>
client must-not subscribe libpool.other.client.$c.*
client must-not subscribe _INBOX.>
client must-not subscribe \$SYS.>
agent may publish $p.front.$a.1
agent may subscribe $p.node.$a.1
agent may subscribe $p.node.$a.*
agent must-not publish $p.front.$a
agent must-not publish $p.front.$a.1.2
agent must-not publish $p.front.two.1
agent must-not publish $p.front.$c.1
agent must-not publish $p.front.*.1
agent must-not publish $p.front.>
agent must-not publish $p.submit.$a.1
agent must-not publish $p.submit.$c.1
agent must-not publish $p.client.$c.1
agent must-not publish $p.client.$a.1
agent must-not publish $p.node.$a.1
agent must-not publish $p.node.two.1
agent must-not publish libpool.other.front.$a.1
agent must-not publish other.$1.front.$a.1
agent must-not publish _INBOX.1
agent must-not publish \$SYS.REQ.SERVER.PING
agent must-not subscribe >
agent must-not subscribe *.>
agent must-not subscribe libpool.>
agent must-not subscribe libpool.*.node.$a.*
agent must-not subscribe $p.>
agent must-not subscribe $p.*.$a.*
agent must-not subscribe $p.node.>
agent must-not subscribe $p.node.*.*
agent must-not subscribe $p.node.*.1
agent must-not subscribe $p.node.two.*
agent must-not subscribe $p.node.two.1
agent must-not subscribe $p.node.two.* work
agent must-not subscribe $p.front.>
agent must-not subscribe $p.front.$a.*
agent must-not subscribe $p.front.> work
agent must-not subscribe $p.submit.>
agent must-not subscribe $p.client.>
agent must-not subscribe $p.client.$c.*
agent must-not subscribe libpool.other.node.$a.*
agent must-not subscribe \$SYS.>
front may publish $p.node.two.1
front may publish $p.client.writer.1
front may subscribe $p.front.>
front may subscribe $p.submit.>
front must-not publish $p.front.$a.1
front must-not publish $p.submit.$c.1
front must-not publish libpool.other.node.$a.1
front must-not publish libpool.other.client.$c.1
front must-not publish libpool.other.front.$a.1
front must-not publish other.$1.node.$a.1
front must-not publish \$SYS.REQ.SERVER.PING
front must-not subscribe >
front must-not subscribe *.>
front must-not subscribe libpool.>
front must-not subscribe $p.>
front must-not subscribe $p.node.>
front must-not subscribe $p.node.$a.*
front must-not subscribe $p.client.>
front must-not subscribe $p.client.$c.*
front must-not subscribe libpool.other.front.>
front must-not subscribe libpool.other.submit.>
front must-not subscribe libpool.*.front.>
front must-not subscribe libpool.*.submit.>
front must-not subscribe \$SYS.>
END
}

# try REFUSAL ROLE USER: has `raw` try the attempts of the role as this user.
# Those that the user must not make end with REFUSAL.
try() {
  grep "^$2 " "$scratch/attempts" >"$scratch/of_role"
  sed 's/^[a-z]* [a-z-]* //' "$scratch/of_role" >"$scratch/lines"
  sed "s/^$2 may \(.*\)/\1: passed/; s/^$2 must-not \(.*\)/\1: $1/" \
    "$scratch/of_role" >"$scratch/wanted"
  [ -s "$scratch/wanted" ] || fail "no attempts of $2"
  "$raw" "$3" "$url" --folder "$farm" <"$scratch/lines" >"$scratch/raw.said"
  sed '/^connected/d; /^ready$/d' "$scratch/raw.said" \
    | diff "$scratch/wanted" - >&2 || fail "$3: not as wanted (<) but so (>)"
}

# try_all REFUSAL AGENT CLIENT
try_all() {
  try "$1" client "$3"
  try "$1" agent "$2"
  try "$1" front front
}

make_certificates node.1 two reader writer

# That of the page, while the pool works.
documented_configuration >"$scratch/nats.conf"
start_working_pool
attempts squares agent client >"$scratch/attempts"
try_all refused agent client
squared client 4 5 6
is_now pool nodes 1
is_now pool joined 1
is_now pool lost 0
is_now pool strays 1 # the message that the agent may send
is_now pool accepted 6

end client
end agent
end pool
documented_configuration | loosened >"$scratch/nats.conf"
reload
try_all passed agent client
end server

# That of apps/farm. The name node.1 is node_2e1 in subjects.
farm_configuration() {
  sh "$root/apps/farm/nats_config" "$farm" node.1 two -- reader writer
}
attempts farm node_2e1 reader >"$scratch/attempts"
farm_configuration >"$scratch/nats.conf"
start_secured_server
try_all refused node.1 reader
farm_configuration | loosened >"$scratch/nats.conf"
reload
try_all passed node.1 reader

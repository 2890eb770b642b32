#!/bin/sh
# Two thousand connections without a word, twice as many as the documented
# configuration allows: a pool that works goes on, and after the time that the
# server gives to a handshake, new programs connect.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

count=2000
# shellcheck disable=SC3045 # shells of Debian have it
most=$(ulimit -Hn)
if [ "$most" != unlimited ] && [ "$most" -lt $((count + 100)) ]; then
  count=$((most - 100))
  echo "only $count silent connections, since no more than $most files may be open"
fi
make_certificates other
documented_configuration | with_user other client >"$scratch/nats.conf"
start_working_pool
start_raw crowd nobody
tell client flood 3000
tell crowd silent "$count"
said crowd "opened $count"
tell client flood 2000
squared client 4 5 6
said client 'flood: 3000 right, 0 wrong' 'flood: 2000 right, 0 wrong'
start other ask --user other --name other --lease 12000
squared other 7 8 9
said crowd "closed $count"
is_now pool nodes 1
is_now pool joined 1
is_now pool lost 0

#!/bin/sh
# Handlers that hold all threads of the scheduler, for many leases: no node is
# lost.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000 --retries 0 --threads 2
start_client 1000 --retries 0 --threads 2
for node in one two; do
  start_node "$node" --slots 2 --threads 2
done
await pool nodes 2
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
  tell client busy "$i" "$((i * 500))"
done
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
  said_once client "$i = $((i * i))"
done
is_now pool lost 0
is_now pool nodes 2
[ "$(cat "$scratch/one.said" "$scratch/two.said" | grep -c '^began')" -eq 13 ] \
  || fail 'tasks have begun more than once'

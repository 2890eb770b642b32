#!/bin/sh
# A user that is removed from the configuration is out as soon as the server has
# read it: its connections are closed, and it is refused from then on. All others
# go on, and its tasks run elsewhere.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

make_certificates two other
full() { documented_configuration | with_user two agent | with_user other client; }
full >"$scratch/nats.conf"
start_secured_server
start_pool 2000
start_node agent
start_node two --user two
start_client 12000
start other ask --user other --name other --lease 8000
start_raw spy other
start_raw bystander client
await pool nodes 2
squared client 1 2
squared other 3 4

# The task is held by either node, and runs again if that is lost.
is_released() {
  tell agent release
  grep -qx '5 = 25' "$scratch/client.said"
}
tell client hold 5
holds() { grep -q '^began 5$' "$scratch/agent.said" "$scratch/two.said"; }
until_true 'a node has the task' holds
documented_configuration >"$scratch/nats.conf"
reload
prints spy 'closed: '
await pool nodes 1
until_true 'the task is done' is_released
squared client 6 7 8
start_raw again other
prints again "not connected: 'Authorization Violation'"
start_raw again_two two
prints again_two "not connected: 'Authorization Violation'"
tell bystander heard here
prints bystander 'here: heard'
! grep '^closed' "$scratch/bystander.said" || fail 'a bystander was cut off'

# They come back when they are users again.
full >"$scratch/nats.conf"
reload
await pool nodes 2
squared other 9

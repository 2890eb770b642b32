#!/bin/sh
# A node that is told to leave while it works: what it has begun ends there, what
# waits there goes to another one, and nothing is lost.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 1000 --retries 0
start_node one --slots 1
for i in 1 2 3 4; do
  tell pool hold "$i"
done
said one 'began 1'
tell one drain
start_node two --slots 4
said two 'began 2' 'began 3' 'began 4'
tell two release
said pool '2 = 4' '3 = 9' '4 = 16'
tell one release
said pool '1 = 1'
leaves one
is_now pool lost 0

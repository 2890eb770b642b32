#!/bin/sh
# The NATS server is killed and started again, again and again: sessions go on,
# nothing is lost, and nothing happens twice.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/farm.sh"
start_server
start_pool 12000 --retries 0
start_node one
start_client 12000 --retries 0
for i in 1 2 3; do
  tell pool hold "$i"
  tell client hold "1$i"
  said one "began $i" "began 1$i"
  end server
  tell pool square "2$i"
  tell client square "3$i"
  tell one release
  start_server
  said pool "$i = $((i * i))" "2$i = $((2$i * 2$i))"
  said client "1$i = $((1$i * 1$i))" "3$i = $((3$i * 3$i))"
done
said_once one 'began 1' 'began 11' 'began 2' 'began 12' 'began 3' 'began 13'
is_now pool lost 0
is_now pool nodes 1
tell client flood 5000
end server
start_server
said client 'flood: 5000 right, 0 wrong'
is_now pool lost 0

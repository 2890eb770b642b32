#!/bin/sh
# Certificates are renewed while programs run: the server reads its new one when
# it is told to, programs read theirs when a connection was lost, and sessions go
# on.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

serial_seen_by() { sed -n 's/^connected: //p' "$scratch/$1.said"; }
serial_of() {
  openssl x509 -in "$farm/$1.pem" -noout -serial | sed 's/serial=//'
}

# shellcheck disable=SC2119 # no further names
make_certificates
documented_configuration >"$scratch/nats.conf"
start_working_pool --slots 3
start_raw old client
[ "$(serial_seen_by old)" = "$(serial_of server)" ] || fail 'a wrong serial'
tell pool hold 4
said agent 'began 4'
renew server
reload
start_raw new client
[ "$(serial_seen_by new)" = "$(serial_of server)" ] \
  || fail 'the server has not read its new certificate'
[ "$(serial_seen_by new)" != "$(serial_seen_by old)" ] || fail 'the same serial'
squared client 5 6 7
tell agent release
said pool '4 = 16'
tell old publish libpool.squares.submit.client.1
said old 'publish libpool.squares.submit.client.1: passed'
is_now pool joined 1
is_now pool lost 0

# The server is killed. The files of the programs are those of a CA that they did
# not know when they began, and the server knows no other one. Some programs find
# them at once, and others after they have tried the old ones in vain.
tell pool hold 11
tell client hold 12
said agent 'began 11' 'began 12'
end server
cp "$farm/client.pem" "$farm/old.pem"
cp "$farm/client.key" "$farm/old.key"
new_authority
renew server front
start_server
start_raw outdated old
prints outdated 'not connected: '
until_true 'the server refuses the old CA' \
  log_has 'certificate signed by unknown authority'
renew agent client
squared client 13 14 15
squared pool 16
tell agent release
said pool '11 = 121'
said client '12 = 144'
is_now pool lost 0
is_now pool joined 1

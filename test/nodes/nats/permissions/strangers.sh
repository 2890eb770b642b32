#!/bin/sh
# A program without a certificate, with that of another CA, with one that has
# expired, and with one whose name is not a user is refused by the server, and
# cannot choose its user by a name beside the certificate.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/secured.sh"

# is_refused NAME REASON USER [OPTION...]: the program cannot connect, and the
# log of the server has the reason.
is_refused() {
  program=$1
  reason=$2
  shift 2
  ! log_has "$reason" || fail "the log has '$reason' already"
  start_raw "$program" "$@"
  prints "$program" 'not connected: '
  until_true "the log has '$reason'" log_has "$reason"
  tell "$program" subscribe '>'
  said "$program" 'subscribe >: not connected'
}

# sign OPTION...: makes a certificate of `late` that is valid as the options say.
sign() {
  openssl x509 -req -in "$scratch/late.csr" "$@" -CA "$farm/ca.pem" \
    -CAkey "$farm/ca.key" -CAcreateserial -extfile "$scratch/late.names" \
    -out "$farm/late.pem" 2>"$scratch/openssl.error" || fail 'no certificate'
}

make_certificates stranger
sh "$certificates" "$scratch/strange" client
cp "$scratch/strange/client.pem" "$farm/forged.pem"
cp "$scratch/strange/client.key" "$farm/forged.key"
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
  -keyout "$farm/late.key" -subj /CN=client -out "$scratch/late.csr" \
  2>"$scratch/openssl.error" || fail 'no request'
echo 'subjectAltName=DNS:client' >"$scratch/late.names"

documented_configuration >"$scratch/nats.conf"
start_working_pool
is_refused nobody "client didn't provide a certificate" nobody
is_refused forged 'certificate signed by unknown authority' forged
# Later versions of OpenSSL have dates, and refuse to end before they begin.
if openssl x509 -help 2>&1 | grep -q -- -not_after; then
  sign -not_before 20000101000000Z -not_after 20000102000000Z
else
  sign -days -1
fi
is_refused late 'certificate has expired' late
is_refused stranger 'authentication error' stranger
start_raw claiming stranger --claim client
prints claiming "not connected: 'Authorization Violation'"
start_raw server_itself server
prints server_itself "not connected: 'Authorization Violation'"

# The certificate decides, and not the name.
start_raw posing agent --claim front
prints posing 'connected: '
tell posing subscribe 'libpool.squares.submit.>'
tell posing subscribe 'libpool.squares.node.agent.*'
said posing 'subscribe libpool.squares.submit.>: refused' \
  'subscribe libpool.squares.node.agent.*: passed'

# A certificate that differs in its end alone is accepted.
sign -days 1
start_raw timely late
prints timely 'connected: '
squared client 2 3
is_now pool nodes 1
is_now pool strays 0

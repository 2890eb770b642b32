#!/bin/sh
# poolcert.sh POOLCERT: the script makes certificates that are worth
# something, keeps keys to their owner, and overwrites nothing.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "$1" >&2
  exit 1
}
refuses() { # WORDS ARGUMENT...
  words=$1
  shift
  if "$poolcert" "$@" 2>"$scratch/error"; then
    fail "was not refused: $*"
  fi
  grep -qF -- "$words" "$scratch/error" || fail "$(cat "$scratch/error")"
}
poolcert=$1 folder=$scratch/certificates

"$poolcert" "$folder" one two
openssl verify -CAfile "$folder/ca.pem" "$folder/one.pem" "$folder/two.pem"
cp "$folder/ca.pem" "$scratch/ca.pem"
"$poolcert" "$folder" three
cmp "$folder/ca.pem" "$scratch/ca.pem" || fail 'the CA was replaced'
openssl verify -CAfile "$folder/ca.pem" "$folder/three.pem"
for key in ca one two three; do
  [ "$(stat -c %a "$folder/$key.key")" = 600 ] || fail "others can read $key.key"
done


# has NAME ALTERNATIVES: the certificate has these names, and no others.
has() {
  got=$(openssl x509 -in "$folder/$1.pem" -noout -subject -nameopt RFC2253 \
    -ext subjectAltName \
    | sed 's/^ *//; s/ *$//' | paste -sd ' ' -)
  [ "$got" = "subject=CN=$1 X509v3 Subject Alternative Name: $2" ] \
    || fail "$1 has '$got'"
}
has one DNS:one
SERVER_NAMES=localhost,127.0.0.1,::1,\*.mq.example "$poolcert" "$folder" mq-1
has mq-1 'DNS:mq-1, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:*.mq.example'
"$poolcert" "$folder" 10.0.0.1
has 10.0.0.1 'IP Address:10.0.0.1'

refuses 'usage: poolcert FOLDER NAME...' "$folder"
refuses "already has a certificate or key of 'one'" "$folder" four one
[ ! -e "$folder/four.pem" ] || fail 'half of what was asked for is there'
refuses "'ca' is the name of the CA, choose another" "$folder" ca
refuses "dots, - and _, got '../x'" "$folder" ../x
refuses 'cannot create the folder' "$scratch/ca.pem/below" one
DAYS=soon refuses "DAYS must be a whole number above 0, got 'soon'" "$folder" four
for hosts in ' ' ',' one,,two 'one two' 'one
basicConstraints=CA:TRUE'; do
  SERVER_NAMES=$hosts refuses 'SERVER_NAMES must be host names' "$folder" four
done
[ ! -e "$folder/four.pem" ] || fail 'half of what was asked for is there'
rm "$folder/ca.key"
refuses 'cannot read the key of the CA' "$folder" four

#!/bin/sh
# certificates CERTIFICATES: the script makes certificates that are worth
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
  if "$certificates" "$@" 2>"$scratch/error"; then
    fail "was not refused: $*"
  fi
  grep -qF -- "$words" "$scratch/error" || fail "$(cat "$scratch/error")"
}
certificates=$1 folder=$scratch/certificates

"$certificates" "$folder" one two
openssl verify -CAfile "$folder/ca.pem" "$folder/one.pem" "$folder/two.pem"
cp "$folder/ca.pem" "$scratch/ca.pem"
"$certificates" "$folder" three
cmp "$folder/ca.pem" "$scratch/ca.pem" || fail 'the CA was replaced'
openssl verify -CAfile "$folder/ca.pem" "$folder/three.pem"
for key in ca one two three; do
  [ "$(stat -c %a "$folder/$key.key")" = 600 ] || fail "others can read $key.key"
done

refuses 'usage: certificates FOLDER NAME...' "$folder"
refuses "already has a certificate or key of 'one'" "$folder" four one
[ ! -e "$folder/four.pem" ] || fail 'half of what was asked for is there'
refuses "'ca' is the name of the CA, choose another" "$folder" ca
refuses "dots, - and _, got '../x'" "$folder" ../x
refuses 'cannot create the folder' "$scratch/ca.pem/below" one
DAYS=soon refuses "DAYS must be a whole number above 0, got 'soon'" "$folder" four
rm "$folder/ca.key"
refuses 'cannot read the key of the CA' "$folder" four

#!/bin/sh
# gated_pool PROGRAM CERTIFICATES: a pool behind a gate works for a program that has
# a certificate, which can neither end nor drain it, and for no other.
set -eu
scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$scratch"' EXIT
"$2" "$scratch/known" server client
"$2" "$scratch/others" client
cp "$scratch/known/ca.pem" "$scratch/others/ca.pem"

mkfifo "$scratch/port" "$scratch/input"
"$1" serve "$scratch/known" >"$scratch/port" <"$scratch/input" &
server=$!
exec 4<"$scratch/port" 3>"$scratch/input"
read -r port <&4
"$1" ask "$scratch/known" "$port" >"$scratch/said"
if "$1" ask "$scratch/others" "$port" >"$scratch/refused" 2>&1; then
  echo 'a certificate of another CA was taken' >&2
  exit 1
fi
echo >&3
cat <&4 >"$scratch/counted"
wait "$server"
server=

cat "$scratch/said" "$scratch/refused" "$scratch/counted" >&2
diff - "$scratch/said" <<'END'
49
libpool: the handle accepts only work, no message that manages a pool or an actor
64
END
grep -q '^libpool: the network connection failed: 127.0.0.1, port ' \
  "$scratch/refused"
echo '2 passed, 2 refused' | diff - "$scratch/counted"

# Without certificates it does not open.
if "$1" serve "$scratch" >"$scratch/said" 2>"$scratch/refused" </dev/null; then
  echo 'a gate has opened without certificates' >&2
  exit 1
fi
[ ! -s "$scratch/said" ]
grep -q '^libpool: any program that can reach the port could use the pool: the certificate ' \
  "$scratch/refused"

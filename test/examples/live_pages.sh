#!/bin/sh
# live_pages.sh PROGRAM ARGUMENT...: the program shows its pool as a page while
# it runs, and refuses a port that is none.
set -u

fail() {
  echo "live_pages: $1" >&2
  exit 1
}

out=$(mktemp)
trap 'kill "$pid" 2>/dev/null; rm -f "$out"' EXIT
"$@" --live >"$out" 2>&1 &
pid=$!

# The program says where the page is before the pool has anything to do.
url=
while [ -z "$url" ]; do
  url=$(sed -n 's/.*see \(http:[^ ]*\).*/\1/p' "$out" | head -n 1)
  kill -0 "$pid" 2>/dev/null || [ -n "$url" ] || fail "$(cat "$out")"
done
pools=$(curl --silent --show-error --max-time 10 "${url}api/v1/pools") ||
  fail 'no answer'
case $pools in
  *'"name":"'*) ;;
  *) fail "no pool in $pools" ;;
esac

if "$@" --live=65536 >"$out" 2>&1; then
  fail 'port 65536 is accepted'
fi
grep -q 'live' "$out" || fail "the error does not name the option: $(cat "$out")"

#!/bin/sh
# live_pages.sh POOLCTL NAME PROGRAM ARGUMENT...: while the program runs it shows
# a pool or a pipeline of that name as a page; it refuses a port that is none.
set -u
poolctl=$1 name=$2
shift 2

fail() {
  echo "live_pages: $1" >&2
  exit 1
}

err=$(mktemp)
pid=
trap 'kill $pid 2>/dev/null; rm -f "$err"' EXIT
"$@" --live >/dev/null 2>"$err" &
pid=$!

runs() {
  kill -0 "$pid" 2>/dev/null
}

url=
while [ -z "$url" ]; do
  url=$(sed -n 's/.*see \(http:[^ ]*\).*/\1/p' "$err" | head -n 1)
  runs || [ -n "$url" ] || fail "$(cat "$err")"
done
until shown=$("$poolctl" "$url" stats 2>&1) &&
  echo "$shown" | grep -q -- "$name"; do
  runs || fail "$name was not shown: $shown"
done
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null

if "$@" --live=65536 >/dev/null 2>"$err"; then
  fail 'port 65536 is accepted'
fi
grep -q 'live' "$err" || fail "the error does not name the option: $(cat "$err")"

#!/bin/sh
# diseases.sh PROGRAM POOLCTL ILL CURED BROWSER PICTURE: the view of the
# program's pool says ILL, and CURED of the cured one, unless that is empty; so
# it does in a browser, if there is one, of which PICTURE is made.
set -u
program=$1 poolctl=$2 ill=$3 cured=$4 browser=$5 picture=$6

fail() {
  echo "diseases: $1" >&2
  exit 1
}

out=$(mktemp)
profile=$(mktemp -d)
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$out" "$profile"' EXIT

# start ARGUMENT...: sets `url` once the page is there.
start() {
  "$program" --live --seconds 60 "$@" >"$out" 2>&1 &
  pid=$!
  url=
  while [ -z "$url" ]; do
    url=$(sed -n 's/.*see \(http:[^ ]*\).*/\1/p' "$out" | head -n 1)
    kill -0 "$pid" 2>/dev/null || [ -n "$url" ] || fail "$(cat "$out")"
  done
}

# says SENTENCE: waits until the view does, for as long as the program runs.
says() {
  until "$poolctl" "$url" stats 2>&1 | grep -q -- "$1"; do
    kill -0 "$pid" 2>/dev/null || fail "the view never said: $1"
  done
}

stop() {
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}

start
says "$ill"
if [ -n "$browser" ] && [ -n "$picture" ]; then
  "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$profile" --window-size=1000,1250 \
    --virtual-time-budget=5000 --screenshot="$picture" "$url?once" \
    >/dev/null 2>&1 || fail 'the browser made no picture'
  [ -s "$picture" ] || fail 'the picture is empty'
fi
stop

if [ -n "$cured" ]; then
  start --cured
  says "$cured"
  stop
fi
"$program" --cured --seconds 1 >"$out" 2>&1 || fail "$(cat "$out")"
grep -q 'completed' "$out" || fail "no report: $(cat "$out")"

#!/bin/bash
# metrics PROGRAM: the metrics of the pool are at the port that it tells.
set -eu
scratch=$(mktemp -d)
running=
trap 'kill -9 $running 2>/dev/null || :; rm -rf "$scratch"' EXIT
mkfifo "$scratch/numbers" "$scratch/squares"
"$1" <"$scratch/numbers" >"$scratch/squares" &
running=$!
exec 3>"$scratch/numbers" 4<"$scratch/squares"
read -r port <&4
for number in 1 2 3; do
  echo "$number" >&3
  read -r square <&4
  ((square == number * number))
done

scrape() {
  exec 5<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET /metrics HTTP/1.0\r\n\r\n' >&5
  tr -d '\r' <&5 >"$scratch/metrics"
  exec 5>&-
}

scrape
grep -qx 'Content-Type: text/plain; version=0.0.4; charset=utf-8' \
  "$scratch/metrics" || { cat "$scratch/metrics" >&2; exit 1; }
# An answer may be here before the worker has returned.
until grep -qx \
  'libpool_tasks_settled_total{pool="squares",outcome="completed"} 3' \
  "$scratch/metrics"; do
  scrape
done

exec 3>&-
wait "$running"
running=

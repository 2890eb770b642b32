#!/usr/bin/env bash
# farm.sh PROGRAM TREE: hashes the tree by a front and three agents, which a NATS
# server connects, kills one of them meanwhile, and has sha256sum check what comes
# out. Exit 77 if there is no nats-server.
set -euo pipefail

program=$(realpath "$1") tree=$2
here=$(cd "$(dirname "$0")" && pwd)
tools=$here/../../tools
# shellcheck source=/dev/null
. "$here/../support/processes.sh"
# shellcheck source=/dev/null
. "$here/../support/nats_server.sh"
skip_without_nats_server farm
scratch=$(mktemp -d)
declare -A agents
front='' nats_server='' nats_port=''

clean_up() {
  local each
  for each in $front "${agents[@]}" $nats_server; do
    kill_hard "$each"
  done
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "farm: $*" >&2
  tail -n 5 "$scratch"/*.log >&2
  exit 1
}

# run COMMAND NAME ARGUMENT...: with the certificate of that name.
run() {
  local command=$1 name=$2
  shift 2
  exec "$program" "$command" --server "tls://127.0.0.1:$nats_port" \
    --certificates "$scratch" --name "$name" "$@"
}

start_agent() {
  run agent "$1" 2>>"$scratch/$1.log" &
  agents[$1]=$!
}

count_done() { wc -l <"$scratch/sums"; }
is_midway() { (($(count_done) > 0)) || has_ended "$front"; }

# It is looked at before the front has made it.
: >"$scratch/sums"
SERVER_NAMES=localhost,127.0.0.1 "$tools/certificates" "$scratch" server
"$tools/certificates" "$scratch" front one two three
"$here/nats_config" "$scratch" one two three >"$scratch/nats.conf"
start_nats_server "$scratch"

run front front --retry 10 "$tree" >"$scratch/sums" 2>"$scratch/front.log" &
front=$!
for name in one two three; do
  start_agent $name
done

until_true 'files are hashed' is_midway
if has_ended "$front"; then
  echo 'the tree was hashed before an agent could be killed'
else
  kill_hard "${agents[two]}"
  echo "killed the agent two when $(count_done) files were out," \
    'and started it again'
  start_agent two
fi

status=0
wait "$front" || status=$?
front=
grep -v '^farm: serves the pool' "$scratch/front.log"
((status == 0)) || fail "not all files were hashed"
sha256sum --check --quiet --strict "$scratch/sums" || fail 'a wrong digest'
[ "$(find "$tree" -type f | wc -l)" -eq "$(count_done)" ] \
  || fail 'not one line for each file'
echo "sha256sum agrees on all $(count_done) files of $tree"

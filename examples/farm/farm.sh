#!/usr/bin/env bash
# farm.sh PROGRAM TREE: hashes the tree by a front and three agents, kills one
# of them meanwhile, and has sha256sum check what comes out.
set -euo pipefail

program=$(realpath "$1") tree=$2
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/../support/processes.sh"
scratch=$(mktemp -d)
declare -A agents
front=

clean_up() {
  local each
  for each in $front "${agents[@]}"; do
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

# run COMMAND NAME ARGUMENT...: with a certificate of that name.
run() {
  local command=$1 name=$2
  shift 2
  exec "$program" "$command" --certificate "$scratch/$name.pem" \
    --key "$scratch/$name.key" --ca "$scratch/ca.pem" \
    --token-file "$scratch/token" "$@"
}

start_agent() {
  run agent "$1" --name "$1" "127.0.0.1:$port" 2>>"$scratch/$1.log" &
  agents[$1]=$!
}

has_port() {
  port=$(sed -n 's/^farm: nodes join at port //p' "$scratch/front.log")
  [ -n "$port" ]
}
count_done() { wc -l <"$scratch/sums"; }
is_midway() { (($(count_done) > 0)) || has_ended "$front"; }

# They are looked at before the front has made them.
: >"$scratch/sums"
: >"$scratch/front.log"
"$tools/certificates" "$scratch" front one two three
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$scratch/token"

run front front --retry 10 "$tree" >"$scratch/sums" 2>"$scratch/front.log" &
front=$!
until_true 'the front listens' has_port
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
grep -v '^farm: nodes join' "$scratch/front.log"
((status == 0)) || fail "not all files were hashed"
sha256sum --check --quiet --strict "$scratch/sums" || fail 'a wrong digest'
[ "$(find "$tree" -type f | wc -l)" -eq "$(count_done)" ] \
  || fail 'not one line for each file'
echo "sha256sum agrees on all $(count_done) files of $tree"

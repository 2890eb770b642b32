# Sourced by the scripts of this folder, which are called with the programs
# `party` and `relay`, and tools/poolcert. Starts programs in the background, tells them lines, and waits for
# lines of theirs. A line that is waited for always comes, however slow the
# machine: a script fails only after a long time without it.
# shellcheck shell=sh
set -eu
party=$1
PATH=$PATH:/usr/sbin # where Debian has servers
command -v nats-server >/dev/null || {
  echo 'skipped: there is no nats-server'
  exit 77
}
readonly patience="${PATIENCE:-120}" # seconds
scratch=$(mktemp -d)
running=
tags=0
port=-1 # any that is free

clean_up() {
  # shellcheck disable=SC2086 # several words
  kill -CONT $running 2>/dev/null || :
  # shellcheck disable=SC2086
  kill -KILL $running 2>/dev/null || :
  rm -rf "$scratch"
}
trap clean_up EXIT

fail() {
  echo "$0: $*" >&2
  tail -n 12 "$scratch"/*.said "$scratch"/*.error >&2
  exit 1
}

# pause SECONDS: for programs that stand still for so long.
pause() {
  sleep "$1"
}

# until_true WHAT COMMAND...: tries until the command succeeds.
until_true() {
  what=$1
  tries=$((patience * 20))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "does not happen: $what"
    sleep 0.05
  done
}

# -- the server ----------------------------------------------------------------

# start_server: again at the same port, if there was one.
start_server() {
  # shellcheck disable=SC2086 # several words, or none
  ${in:-} nats-server --addr "${address:-127.0.0.1}" --port "$port" \
    --ports_file_dir "$scratch" ${server_options:-} \
    >"$scratch/server.said" 2>"$scratch/server.error" &
  echo $! >"$scratch/server.id"
  running="$running $!"
  until_true 'the server has a port' has_port
}

has_port() {
  kill -0 "$(id_of server)" 2>/dev/null || fail 'the server has ended'
  found=$(grep -o '[a-z]*://[0-9.]*:[0-9]*' \
    "$scratch/nats-server_$(id_of server).ports" 2>/dev/null | head -n 1)
  [ -n "$found" ] || return 1
  url=$found
  port=${url##*:}
}

# -- programs ------------------------------------------------------------------

# start NAME ROLE [OPTION...]: the role is `pool`, `serve` or `ask`.
start() {
  name=$1
  role=$2
  shift 2
  [ -p "$scratch/$name.told" ] || mkfifo "$scratch/$name.told"
  : >"$scratch/$name.said"
  # shellcheck disable=SC2086 # several words, or none
  ${in:-} "$party" "$role" "$url" ${party_options:-} "$@" \
    <>"$scratch/$name.told" >>"$scratch/$name.said" 2>>"$scratch/$name.error" &
  echo $! >"$scratch/$name.id"
  running="$running $!"
  said "$name" ready
}

# start_pool LEASE [OPTION...], in ms, start_client LEASE [OPTION...], start_node
# NAME [OPTION...]
start_pool() { start pool pool --lease "$@"; }
start_client() { start client ask --lease "$@"; }
start_node() {
  node=$1
  shift
  start "$node" serve --name "$node" "$@"
}

# tell NAME WORD...: the program reads the words.
tell() {
  to=$1
  shift
  echo "$@" 1<>"$scratch/$to.told"
}

# said NAME LINE...: the program has printed, or will print, these lines.
said() {
  by=$1
  shift
  for text; do
    until_true "$by says '$text'" grep -qxF -- "$text" "$scratch/$by.said"
  done
}

# said_once NAME LINE...: and none of them twice so far.
said_once() {
  said "$@"
  by=$1
  shift
  for text; do
    [ "$(grep -cxF -- "$text" "$scratch/$by.said")" -eq 1 ] \
      || fail "$by has said '$text' more than once"
  done
}

# await NAME WORD COUNT: the program counts so many, sooner or later.
await() {
  tags=$((tags + 1))
  tell "$1" await "$2" "$3" "$tags"
  said "$1" "$tags: $2 is $3"
}

# is_now NAME WORD COUNT: the program counts so many at present.
is_now() {
  tags=$((tags + 1))
  tell "$1" tell "$2" "$tags"
  until_true "$1 tells $2" grep -q "^$tags: " "$scratch/$1.said"
  grep -qx "$tags: $2 is $3" "$scratch/$1.said" \
    || fail "not $3: $(grep "^$tags: " "$scratch/$1.said")"
}

# squared NAME N...: the program has the numbers squared.
squared() {
  asker=$1
  shift
  for n; do
    tell "$asker" square "$n"
  done
  for n; do
    said "$asker" "$n = $((n * n))"
  done
}

# stop NAME, go_on NAME, end NAME: as the system does.
stop() { kill -STOP "$(id_of "$1")"; }
go_on() { kill -CONT "$(id_of "$1")"; }
end() {
  kill -KILL "$(id_of "$1")"
  wait "$(id_of "$1")" 2>/dev/null || :
}

# leaves NAME: the node has left, and its program ends with success.
leaves() {
  said "$1" left
  tell "$1" end
  wait "$(id_of "$1")" || fail "$1 has ended with $?"
}

id_of() { cat "$scratch/$1.id"; }

# Sourced by the scripts of this folder, which are called with the programs
# `nodes` or `party`, and `relay`, and `tools/certificates`.
# shellcheck shell=sh
set -eu
nodes=$1
relay=$2
scratch=$(mktemp -d)
running=
trap 'kill -CONT $running 2>/dev/null || :; kill -9 $running 2>/dev/null || :; rm -rf "$scratch"' EXIT
"$3" "$scratch/known" server client >/dev/null
mkfifo "$scratch/numbers" "$scratch/squares"

# start_pool [PORT]: sets `pool` to its process id and `port` to its port.
start_pool() {
  "$nodes" pool "$scratch/known" "$@" <"$scratch/numbers" >"$scratch/squares" &
  pool=$!
  running="$running $pool"
  exec 3>"$scratch/numbers" 4<"$scratch/squares"
  read -r port <&4
}

# start_node PORT [ARGUMENT...]: sets `node` to its process id. It serves until
# it is killed.
start_node() {
  tail -f /dev/null --pid="$$" | "$nodes" serve "$scratch/known" "$@" &
  node=$!
  running="$running $node"
}

# start_relay: stands before the pool; sets `line` to its port.
start_relay() {
  mkfifo "$scratch/commands" "$scratch/said"
  "$relay" "$port" <"$scratch/commands" >"$scratch/said" &
  running="$running $!"
  exec 5>"$scratch/commands" 6<"$scratch/said"
  read -r line <&6
}

# the_line COMMAND: has the relay obey.
the_line() {
  echo "$1" >&5
  read -r answer <&6
  [ "$answer" = 'done' ]
}

# asked N...: the pool reads the numbers.
asked() {
  echo "$@" >&3
}

# squared N...: their squares come, however long that takes.
squared() {
  for number; do
    read -r square <&4
    [ "$square" = $((number * number)) ] || {
      echo "the square of $number is '$square'" >&2
      exit 1
    }
  done
}

# counted WORD N: waits until the pool answers that word with that number.
counted() {
  until asked "$1" && read -r count <&4 && [ "$count" -eq "$2" ]; do
    timeout 0.05 tail -f /dev/null --pid="$pool" || :
  done
}

# none_was_lost: no task was lost with its node, as far as the pool has settled.
none_was_lost() {
  asked lost
  read -r lost <&4
  [ "$lost" -eq 0 ] || {
    echo "tasks were lost $lost times" >&2
    exit 1
  }
}

# said TEXT: the pool's next line has it.
said() {
  read -r line <&4
  case $line in
    *"$1"*) ;;
    *)
      echo "not '$1': $line" >&2
      exit 1
      ;;
  esac
}

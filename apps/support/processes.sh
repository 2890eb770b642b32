# shellcheck shell=bash
# Processes that scripts start, kill and wait for. The script has a function
# `fail`, which tells its words and exits.

# until_true WHAT COMMAND...: tries until the command succeeds, for at most five
# minutes.
until_true() {
  local what=$1 deadline=$((SECONDS + 300))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || fail "does not happen: $what"
    sleep 0.02
  done
}

has_ended() { ! kill -0 "$1" 2>/dev/null; }

# kill_hard PID: as the system does when memory is short.
kill_hard() {
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

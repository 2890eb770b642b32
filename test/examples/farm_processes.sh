# shellcheck shell=bash disable=SC2154 # `program` is the caller's
# A front, agents and submitters as processes, and what can be said of them; for
# farm.sh.

fail() {
  echo "FAILED: $*" >&2
  tail -n 12 ./*.err ./nats.log >&2 || true
  exit 1
}

says() { grep -qsF -- "$2" "$1.err"; }
must_say() { says "$@" || fail "$1 does not say: $2"; }

# ends STATUS NAME: the process ends by itself, with that status. STATUS is a
# pattern.
ends() {
  local got=0
  until_true "$2 ends" has_ended "${pids[$2]}"
  wait "${pids[$2]}" || got=$?
  # shellcheck disable=SC2053 # a pattern
  [[ $got == $1 ]] || fail "$2 ends with status $got instead of $1"
}

# signal SIGNAL NAME
signal() { kill "-$1" "${pids[$2]}"; }

declare -A pids
lease=5 folder=known

# start NAME COMMAND ARGUMENT...: with the certificate in `folder` of that name, or
# of `user`.
start() {
  local name=$1 command=$2
  shift 2
  : >"$name.err"
  "$program" "$command" --server "tls://127.0.0.1:$nats_port" \
    --certificates "$folder" --name "${user:-$name}" "$@" 2>"$name.err" &
  pids[$name]=$!
}

# start_front ARGUMENT...: and waits until nodes can join.
start_front() {
  start front front --lease $lease --retry 20 "$@" >sums
  until_true 'the front listens' says front 'serves the pool'
}

# start_durable_front NAME ARGUMENT...: which serves at once, or waits.
start_durable_front() {
  local name=$1
  shift
  user=front start "$name" front --durable --standby 2 --lease 2 --retry 20 "$@"
}

# start_agent NAME ARGUMENT...
start_agent() {
  local name=$1
  shift
  start "$name" agent --slots 1 "$@"
}

# start_submitter NAME ARGUMENT...: leaves the sums in NAME.sums.
start_submitter() {
  local name=$1
  shift
  start "$name" submit --lease $lease tree "$@" >"$name.sums"
}

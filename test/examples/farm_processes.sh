# shellcheck shell=bash disable=SC2154 # `program` is the caller's
# A front and agents as processes, and what can be said of them; for farm.sh.

fail() {
  echo "FAILED: $*" >&2
  tail -n 12 ./*.err >&2 || true
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
  [[ $got == $1 ]] || fail "$2 ends with status $got instead of $1"
}

# signal SIGNAL NAME
signal() { kill "-$1" "${pids[$2]}"; }

declare -A pids
lease=5 ca=known token=token

# start_front ARGUMENT...: and waits until nodes can join; leaves `port`.
start_front() {
  : >front.err
  "$program" front tree --certificate known/front.pem --key known/front.key \
    --ca known/ca.pem --token-file token --lease $lease --retry 20 "$@" \
    >sums 2>front.err &
  pids[front]=$!
  until_true 'the front listens' says front 'nodes can join at port'
  port=$(sed -n 's/^farm: nodes can join at port //p' front.err)
}

# start_agent NAME ARGUMENT...: with `token`, and a certificate of `ca`.
start_agent() {
  local name=$1
  shift
  "$program" agent "127.0.0.1:$port" --certificate $ca/agent.pem \
    --key $ca/agent.key --ca $ca/ca.pem --token-file $token --slots 1 \
    --name "$name" "$@" 2>"$name.err" &
  pids[$name]=$!
}

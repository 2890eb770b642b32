# Sourced by the scripts of this folder, which are called with the programs
# `party` and `raw`, and tools/poolcert. Programs are told lines and waited
# for as in ../events. The server has the configuration that
# docs/operations/security.md recommends.
# shellcheck shell=sh source-path=SCRIPTDIR
. "$(dirname "$0")/../events/farm.sh"
# Memory that is free is given back: arenas keep some MiB each, and small blocks.
MALLOC_ARENA_MAX=1
MALLOC_MMAP_THRESHOLD_=131072
export MALLOC_ARENA_MAX MALLOC_MMAP_THRESHOLD_
raw=$2
certificates=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
farm=$scratch/farm
party_options="--folder $farm"

# make_certificates NAME...: and those of the server and the documented users.
# shellcheck disable=SC2120 # NAME... may be nothing
make_certificates() {
  SERVER_NAMES=127.0.0.1 sh "$certificates" "$farm" server
  sh "$certificates" "$farm" front agent client "$@"
}

# new_authority: makes another CA, which `renew` uses from now on.
new_authority() {
  mkdir "$scratch/other"
  sh "$certificates" "$scratch/other" any
  mv "$scratch/other/ca.key" "$scratch/other/ca.pem" "$farm"
}

# renew NAME...: makes new certificates in place of the old ones.
renew() {
  rm -rf "$scratch/new"
  mkdir "$scratch/new"
  cp "$farm/ca.pem" "$farm/ca.key" "$scratch/new"
  SERVER_NAMES=127.0.0.1 sh "$certificates" "$scratch/new" "$@"
  for name; do
    mv "$scratch/new/$name.key" "$scratch/new/$name.pem" "$farm"
  done
}

# documented_configuration: prints the one of the page, with the certificates of
# this script.
documented_configuration() {
  awk '/^```/ { is_inside = !is_inside; is_configuration = 0; next }
    is_inside && /^listen:/ { is_configuration = 1 }
    is_configuration' "$root/docs/operations/security.md" \
    | sed "s,\"farm/,\"$farm/,"
}

# with_user NAME LIKE: adds a user of its own to the configuration on the input,
# "each node and each client", with the permissions of the user LIKE.
with_user() {
  awk -v name="$1" -v like="$2" '
    { lines = lines $0 "\n" }
    /^    [{]$/ { lines = $0 "\n" }
    { print }
    /^    [}]$/ && lines ~ "user: \"" like "\"" {
      gsub("user: \"" like "\"", "user: \"" name "\"", lines)
      gsub("[.]" like "[.][*]\"", "." name ".*\"", lines)
      printf "%s", lines
    }'
}

# loosened: all users of the configuration on the input may do everything.
loosened() {
  sed -E 's/(publish|subscribe): *(\[[^]]*\]|"[^"]*")/\1: ">"/g'
}

# start_secured_server: with the configuration in nats.conf.
start_secured_server() {
  [ -s "$scratch/nats.conf" ] || fail 'no configuration'
  server_options="--config $scratch/nats.conf"
  start_server
}

# start_working_pool [OPTION...]: starts the server, a pool, a node with these options
# and a client, and has the pool answer.
# shellcheck disable=SC2120 # OPTION... may be nothing
start_working_pool() {
  start_secured_server
  start_pool 12000
  start_node agent "$@"
  start_client 12000
  squared client 1 2 3
}

# reload: the server reads nats.conf again while it runs.
reload() {
  reloads=$(count_reloads)
  kill -HUP "$(id_of server)"
  until_true 'the server reads its configuration' has_reloaded
}
count_reloads() { grep -c 'Reloaded server configuration' "$scratch/server.error" || :; }
has_reloaded() {
  ! grep 'Failed to reload' "$scratch/server.error" >&2 \
    || fail 'the server does not accept the configuration'
  [ "$(count_reloads)" -gt "$reloads" ]
}

# log_has TEXT: the log of the server.
log_has() { grep -q -- "$1" "$scratch/server.error"; }

# start_raw NAME USER [OPTION...]: the program `raw` with the user's certificate.
start_raw() {
  usual_party=$party
  party=$raw
  start "$@"
  party=$usual_party
}

# prints NAME TEXT: the program has printed, or will print, a line that begins so.
has_line() { grep -q "^$2" "$scratch/$1.said"; }
prints() { until_true "$1 prints '$2'" has_line "$1" "$2"; }

# kilobytes: the memory that the pool has at present.
kilobytes() { awk '/^VmRSS:/ { print $2 }' "/proc/$(id_of pool)/status"; }

# has_grown_by_less KILOBYTES BEFORE: the memory of the pool, which was BEFORE.
# Sanitizers keep memory that is free.
has_grown_by_less() {
  [ -n "${KEEPS_MEMORY:-}" ] || [ $(($(kilobytes) - $2)) -lt "$1" ]
}

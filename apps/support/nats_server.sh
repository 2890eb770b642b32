# shellcheck shell=bash
# A NATS server of a script, at a port of this machine. The script has a function
# `fail`, as processes.sh wants.

PATH=$PATH:/usr/sbin # where Debian has servers

# skip_without_nats_server WHO: ends the script with 77 if there is none.
skip_without_nats_server() {
  command -v nats-server >/dev/null || {
    echo "$1: skipped, there is no nats-server"
    exit 77
  }
}

# start_nats_server FOLDER [PORT]: with the configuration FOLDER/nats.conf, at any
# free port if there is no PORT; waits until the server listens. Leaves
# `nats_server`, its process, and `nats_port`.
start_nats_server() {
  nats-server --config "$1/nats.conf" --addr 127.0.0.1 --port "${2:--1}" \
    --ports_file_dir "$1" --log "$1/nats.log" &
  nats_server=$!
  until_true 'the NATS server listens' has_nats_port "$1"
}

has_nats_port() {
  ! has_ended "$nats_server" || fail "the NATS server: $(tail -n 3 "$1/nats.log")"
  nats_port=$(grep -os '127\.0\.0\.1:[0-9]*' \
    "$1/nats-server_$nats_server.ports") || return
  nats_port=${nats_port#*:}
}

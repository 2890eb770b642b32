#!/bin/sh
# remote_pool PROGRAM: a pool in one process works for another one, tells it how
# it is, refuses its worker with words that help, and ends when it is drained.
set -eu
scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$scratch"' EXIT
mkfifo "$scratch/port"
"$1" serve >"$scratch/port" &
server=$!
read -r port <"$scratch/port"
"$1" ask "$port" >"$scratch/said"
wait "$server"
cat "$scratch/said" >&2
sed 's/ remote actor [0-9]* of node [^ ]* can / X can /' "$scratch/said" >"$scratch/general"
diff - "$scratch/general" <<'END'
49
libpool: the tasks of the worker cannot be tracked: X can only be a worker of a direct pool: use a policy of direct pools such as round_robin, or spawn a managed pool on that node and send messages to it
4 workers, 1 done
drained
END

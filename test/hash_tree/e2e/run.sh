# shellcheck shell=bash disable=SC2034 # variables are for the parts
# run.sh PROGRAM SCRATCH CMAKE CASE: runs one of the functions case_… of this
# folder in the empty folder SCRATCH. Exit 0 if all is well, 77 if this machine
# cannot tell, else 1 after a line that says what went wrong.
set -uo pipefail

program=$1 scratch=$2 cmake=$3 name=$4
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/../../../apps/support/processes.sh"

fail() {
  echo "FAILED: $*" >&2
  [ ! -s err ] || sed 's/^/  stderr: /' err >&2
  exit 1
}

# run CODE ARGUMENT…: the program exits with CODE; leaves out and err.
run() {
  local want=$1 got=0
  shift
  "$program" "$@" >out 2>err || got=$?
  [ "$got" -eq "$want" ] || fail "exit $got instead of $want: $*"
}

same() { cmp "$1" "$2" || fail "$1 and $2 differ: $3"; }

says() { grep -qF -- "$2" "$1" || fail "$1 does not say: $2"; }

empty() { [ ! -s "$1" ] || fail "$1 is not empty: $(head -c 500 "$1")"; }

# What sha256sum prints for all regular files under the paths.
reference() {
  find "$@" -type f -print0 | LC_ALL=C sort -zu | xargs -0 -r sha256sum --
}

# reads PID FILE: the process has this file of the scratch folder open.
reads() {
  readlink "/proc/$1"/fd/* 2>/dev/null | grep -qxF -- "$(pwd -P)/$2"
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# interrupted PID [SIGNAL]: sends SIGINT, or SIGNAL; the program exits with 128 and
# its number, long before it could have read the 200 GB that it is reading.
interrupted() {
  local signal=${2:-INT} begin code=0 want
  want=$((128 + $(kill -l "$signal")))
  begin=$(milliseconds)
  kill "-$signal" "$1"
  wait "$1" || code=$?
  local took=$(($(milliseconds) - begin))
  [ "$code" -eq "$want" ] || fail "exit $code after SIG$signal"
  [ "$took" -lt 30000 ] || fail "took $took ms to stop"
}

# A failed test may leave the program running.
clean_up() {
  local running
  running=$(jobs -pr)
  # shellcheck disable=SC2086 # numbers
  [ -z "$running" ] || kill -KILL $running
  cd / && rm -rf "$scratch"
}

for part in files outputs control; do
  # shellcheck source=/dev/null
  . "$here/$part.sh"
done

rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
trap clean_up EXIT
"case_$name"

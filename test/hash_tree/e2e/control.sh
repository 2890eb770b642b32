# shellcheck shell=bash disable=SC2154 # part of run.sh
# The command line, Ctrl-C and other signals to end.

case_usage() {
  local arguments
  : >file
  for arguments in '' '--policy nonsense file' '--workers 0 file' \
    '--workers -1 file' '--workers many file' '--workers 2.5 file' \
    '--workers 99999999999999999999 file' '--workers' '--nonsense file' \
    '--json' '--chaos --compare file' '--stats --compare file' \
    '--trace' '--trace x --compare file' '--plot x --compare file'; do
    # shellcheck disable=SC2086 # words
    run 2 $arguments
    empty out
    says err 'Usage: hash_tree'
  done
  run 2 --chaos --policy random file
  empty out
  says err '--chaos: requires a managed policy, got random'
  local option
  for option in --trace --plot; do
    run 2 $option x --policy split_join file
    empty out
    says err "$option: requires a managed policy, got split_join"
    [ ! -e x ] || fail 'creates a file all the same'
  done
  run 0 --help
  empty err
  says out '--policy'
  grep -q '[=[]shared_queue' out || fail 'does not name the default policy'
  run 1 ''
}

case_interrupt() {
  mkdir t
  echo a >t/a
  truncate -s 200G t/b
  local policy signal
  for policy in shared_queue round_robin broadcast split_join; do
    signal=INT
    [ "$policy" != broadcast ] || signal=TERM
    "$program" --workers 2 --policy "$policy" --json json t >out 2>err &
    local pid=$!
    until_true 'the huge file is read' reads "$pid" t/b
    interrupted "$pid" "$signal"
    grep -qE '^hash_tree: interrupted: [01] files done, ' err ||
      fail 'does not say how many were done'
    json 'interrupted' | grep -qxE 'ON|true' || fail 'JSON does not tell'
  done
}

case_interrupt_compare() {
  mkdir t
  truncate -s 200G t/b
  "$program" --compare t >out 2>err &
  local pid=$!
  until_true 'the huge file is read' reads "$pid" t/b
  interrupted "$pid"
  empty out
  says err 'interrupted: 0 files done'
}

stuck_in_write() {
  grep -lE 'pipe_write|pipe_wait|anon_pipe_write' /proc/"$1"/task/*/wchan \
    >/dev/null 2>&1 || grep -qE '^1 0x1 ' /proc/"$1"/task/*/syscall 2>/dev/null
}

# Two workers need about half a second, if the machine is fast. Each file of
# 64 MiB is a request, and 16 empty files are one, the last 8 another.
case_chaos() {
  mkdir t
  (cd t && touch b{000..999} && truncate -s 64M a{01..32})
  local workers killed
  for workers in 2 1; do
    run 0 --chaos --workers "$workers" --json json t
    killed=$(sed -n 's/^hash_tree: \([0-9]*\) workers killed, .*/\1/p' err)
    [ "$killed" -ge 2 ] || fail "$killed of $workers workers killed"
    says err '; 95 accepted = 95 completed + 0 failed + 0 cancelled'
    [ "$(wc -l <err)" -eq 1 ] || fail 'says more than that'
    [ "$(wc -l <out)" -eq 1032 ] || fail "$(wc -l <out) lines"
    [ "$(json totals errors)" -eq 0 ] || fail 'JSON'
  done
  sha256sum -c --quiet --strict out || fail 'sha256sum -c objects'
}

threads() { ls "/proc/$1/task"; }

have_changed() { [ "$(threads "$1")" != "$2" ]; }

# A worker that is killed ends its file first, and Ctrl-C ends that.
case_interrupt_chaos() {
  mkdir t
  touch t/a
  truncate -s 200G t/b
  "$program" --chaos --workers 2 t >out 2>err &
  local pid=$! before
  until_true 'the huge file is read' reads "$pid" t/b
  before=$(threads "$pid")
  until_true 'the idle worker is killed' have_changed "$pid" "$before"
  interrupted "$pid"
  grep -qE ': [1-9][0-9]* workers killed, ' err || fail 'nobody was killed'
  says err '2 accepted = 2 completed'
  says err 'interrupted: 1 files done'
}

# Nobody reads the pipe, so the program is stuck in a write when it is told.
case_interrupt_stuck() {
  mkdir t
  touch t/{0..9}{0..9}{0..9}{0..9}
  mkfifo pipe
  "$program" t 2>err >pipe &
  local pid=$!
  exec 5<pipe
  until_true 'it is stuck' stuck_in_write "$pid"
  interrupted "$pid"
  says err 'interrupted: '
}

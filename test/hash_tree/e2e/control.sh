# shellcheck shell=bash disable=SC2154 # part of run.sh
# The command line and Ctrl-C.

case_usage() {
  local arguments
  : >file
  for arguments in '' '--policy nonsense file' '--workers 0 file' \
    '--workers -1 file' '--workers many file' '--workers 2.5 file' \
    '--workers 99999999999999999999 file' '--workers' '--nonsense file' \
    '--json'; do
    # shellcheck disable=SC2086 # words
    run 2 $arguments
    empty out
    says err 'Usage: hash_tree'
  done
  run 0 --help
  empty err
  says out '--policy'
  run 1 ''
}

case_interrupt() {
  mkdir t
  echo a >t/a
  truncate -s 20G t/b
  local policy
  for policy in round_robin broadcast split_join; do
    "$program" --workers 2 --policy "$policy" --json json t >out 2>err &
    local pid=$!
    until_true 'the huge file is read' reads "$pid" t/b
    interrupted "$pid"
    grep -qE '^hash_tree: interrupted: [01] files done, ' err ||
      fail 'does not say how many were done'
    json 'interrupted' | grep -qxE 'ON|true' || fail 'JSON does not tell'
  done
}

case_interrupt_compare() {
  mkdir t
  truncate -s 20G t/b
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

# shellcheck shell=bash disable=SC2154 # part of run.sh
# Where the results go: standard output, JSON, the table, the bar.

case_closed_output() {
  mkdir t
  touch t/{0..9}{0..9}{0..9}{0..9}
  local line
  line=$("$program" t 2>err | head -n 1)
  [ -n "$line" ] || fail 'no line'
  empty err
  local code=0
  "$program" t 2>err >&- || code=$?
  [ "$code" -eq 1 ] || fail "exit $code with standard output closed"
  says err 'standard output: Bad file descriptor'
  code=0
  "$program" --json json t 2>err >&- || code=$?
  [ "$code" -eq 1 ] || fail "exit $code with a report and output closed"
  ! grep -qE '^[0-9a-f]{64}' json || fail 'lines went into the JSON file'
  code=0
  "$program" t >&- 2>&- <&- || code=$?
  [ "$code" -eq 1 ] || fail "exit $code with all streams closed"
}

case_full_output() {
  [ -c /dev/full ] || return 77
  echo a >a
  local code=0
  "$program" a >/dev/full 2>err || code=$?
  [ "$code" -eq 1 ] || fail "exit $code"
  says err 'standard output: No space left on device'
  mkdir t
  touch t/{0..9}{0..9}{0..9}
  truncate -s 200G t/z
  code=0
  timeout 60 "$program" t >/dev/full 2>err || code=$?
  [ "$code" -eq 1 ] || fail "exit $code instead of giving up at once"
  run 1 --json /dev/full a
  says err '/dev/full: No space left on device'
  reference a | cmp - out || fail 'a full disk for JSON stopped the lines'
  run 1 --json missing/folder/json a
  says err 'missing/folder/json: No such file or directory'
}

# json KEY…: a value of the file json, read by CMake.
json() {
  (IFS=';' && "$cmake" -DFILE=json "-DKEYS=$*" -P "$here/json.cmake")
}

case_json() {
  odd_tree
  mkdir u
  cp t/a.txt u/
  cp $'t/latin\xe4\xff' u/
  run 1 --json json u missing
  local hash
  hash=$(sha256sum <u/a.txt | cut -d ' ' -f 1)
  local want
  for want in "files 1 path=u/a.txt" "files 1 sha256=$hash" 'files 1 size=2' \
    'files 0 path=missing' 'files 0 error=No such file or directory' \
    'files 2 path_hex=752f6c6174696ee4ff' 'totals files=2' 'totals bytes=4' \
    'totals errors=1'; do
    # shellcheck disable=SC2086 # words
    [ "$(json ${want%%=*})" = "${want#*=}" ] ||
      fail "JSON: ${want%%=*} is $(json ${want%%=*}), not ${want#*=}"
  done
  run 0 --json json t
  json totals files | grep -qx 17 || fail 'JSON of odd names'
}

case_compare() {
  odd_tree
  run 0 --compare --json json t
  empty err
  local policy
  for policy in shared_queue fair_share round_robin broadcast split_join \
    'plain threads'; do
    says out "$policy"
  done
  says out '17 files, 19.1 MiB'
  grep -q '"policy": *"split_join"' json || fail 'JSON has no split_join'
  [ "$(json files 3 path)" != '' ] || fail 'JSON has no digests'
}

# Without --policy it is the managed pool that tells.
case_stats() {
  odd_tree
  run 0 --workers 1 --stats t
  reference t | cmp - out || fail 'the lines have changed'
  says err 'worker 1: 17 files, 19.1 MiB'
  says err 'service time: '
  says err 'waiting time: '
  [ "$(wc -l <err)" -eq 3 ] || fail 'says more than that'
  run 0 --workers 2 --stats --policy split_join t
  says err 'worker 2: '
  [ "$(wc -l <err)" -eq 2 ] || fail 'a direct pool tells more than it knows'
}

# runs FILE: how many tasks a trace has.
runs() { grep -c '^{"ph":"X","pid":1,' "$1"; }

# Neighbours share a request: % *, a0 back bell, carriage latin, { ü. Each of the
# other 8 files is alone: in its folder, between two folders, or big.
case_timeline() {
  odd_tree
  reference t >expected
  run 0 --workers 2 --trace json --plot plot t
  empty err
  same expected out 'the lines have changed'
  [ "$(json displayTimeUnit)" = ns ] || fail 'the trace is no JSON'
  [ "$(json traceEvents 0 args name)" = workers ] || fail 'the trace'
  [ "$(runs json)" -eq 12 ] || fail "$(runs json) runs"
  [ "$(grep '"ph":"X","pid":1,' json | grep -c '"name":"t/sp ace"')" -eq 1 ] ||
    fail 'folders are not told apart'
  says plot '12 tasks on '
  says plot '</svg>'
  run 0 --chaos --stats --trace json t
  [ "$(runs json)" -eq 12 ] || fail "$(runs json) runs in chaos"
  run 0 --trace '[x]' t/a.txt
  [ "$(runs '[x]')" -eq 1 ] || fail 'an odd name'
  run 1 --trace missing/trace --json report t
  empty out
  says err 'missing/trace: No such file or directory'
  [ "$(wc -l <err)" -eq 1 ] || fail 'says more than that'
  [ ! -e report ] || fail 'leaves half a report'
  [ -c /dev/full ] || return 0
  run 1 --trace /dev/full --plot plot t
  same expected out 'a full disk for the trace stopped the lines'
  says err '/dev/full: No space left on device'
  says plot '</svg>'
}

# On a terminal there is a bar, and Ctrl-C typed there stops the program.
case_progress() {
  # Without pseudo-terminals this cannot be told.
  script -qec true /dev/null </dev/null >/dev/null 2>&1 || return 77
  mkdir t
  truncate -s 200G t/b
  mkfifo keyboard
  exec 6<>keyboard
  script -qfec "exec '$program' t >out" screen <keyboard >/dev/null 2>err &
  local pid=$! code=0
  until_true 'the bar shows' grep -qsE '\] [0-9]+ %  0/1 files  ' screen
  until_true 'the rate shows' grep -q 'iB/s  .* left' screen
  printf '\003' >&6
  wait "$pid" || code=$?
  [ "$code" -eq 130 ] || fail "exit $code"
  says screen 'interrupted: 0 files done'
}

# shellcheck shell=bash disable=SC2154,SC2016 # part of run.sh
# What is hashed, and what the lines are.

odd_tree() {
  mkdir -p 't/a/b' 't/sp ace' t/empty $'t/new\nline' 't/-dash' 't/[x]'
  echo 1 >'t/a/b/file'
  echo 2 >'t/a.txt'
  echo 3 >'t/a0'
  echo 4 >'t/sp ace/ lead and trail '
  echo 5 >$'t/new\nline/\n'
  echo 6 >'t/back\slash'
  echo 7 >'t/-dash/-rf'
  echo 8 >$'t/latin\xe4\xff'
  echo 9 >$'t/carriage\rreturn'
  echo 10 >'t/ünïcode'
  echo 11 >$'t/bell\a\e[31m'
  echo 12 >'t/*"$(x)`'"'"
  echo 13 >'t/[x]/{a,b}'
  echo 14 >'t/%%'
  echo 15 >'t/{}'
  : >t/nothing
  head -c 20000000 /dev/zero | tr '\0' 'z' >t/big
  ln -s a.txt t/link
  ln -s a t/dirlink
  ln -s .. t/a/up
  ln -s nowhere t/broken
  mkfifo t/fifo
}

case_odd_names() {
  odd_tree
  reference t >expected
  [ "$(wc -l <expected)" -eq 17 ] || fail 'the tree is not as it should be'
  run 0 t
  same expected out 'a whole tree'
  empty err
  sha256sum -c --quiet --strict out || fail 'sha256sum -c objects'
  local odd=('*"$(x)`'"'" '[x]' '%%' '{}' $'latin\xe4\xff' nothing) argument
  for argument in "${odd[@]}"; do
    (cd t && "$program" "$argument" | sha256sum -c --quiet --strict) ||
      fail "as an argument: $argument"
  done
  (cd t && "$program" "${odd[@]}" -- -dash >../out) || fail 'odd arguments'
  (cd t && reference "${odd[@]/#/./}" ./-dash) | sed 's|  \./|  |' |
    LC_ALL=C sort -k2 >expected
  LC_ALL=C sort -k2 out >sorted
  same expected sorted 'odd arguments'
}

case_odd_files() {
  : >empty
  mkfifo fifo
  run 0 empty
  reference empty | cmp - out || fail 'an empty file'
  run 0 fifo /dev/null
  empty out
  says err 'fifo: not a regular file, skipped'
  says err '/dev/null: not a regular file, skipped'
  echo x >-
  run 0 -- -
  says out '  ./-'
  sha256sum -c --quiet out || fail 'a file named -'
  mkdir d
  run 0 d
  empty out
  [ -r /proc/self/status ] || return 77
  run 0 /proc/self/mounts # a regular file of size 0 with content
  [ "$(wc -l <out)" -eq 1 ] || fail 'a file of /proc'
}

case_policies() {
  odd_tree
  reference t >expected
  local policy workers
  for policy in shared_queue round_robin random broadcast split_join; do
    for workers in 1 2 7; do
      run 0 --policy "$policy" --workers "$workers" t
      same expected out "$policy with $workers workers"
    done
  done
}

case_many_files() {
  mkdir t
  (cd t && seq -f '%06g' 30000 | xargs touch)
  run 0 t
  reference t | cmp - out || fail 'many files'
  run 0 --policy split_join --workers 5 t
  reference t | cmp - out || fail 'many files, split_join'
}

case_overlapping_paths() {
  odd_tree
  run 0 t
  mv out once
  run 0 t t/a t t/a.txt t/
  same once out 'each path once'
  mkdir t2
  echo x >t2/x
  run 0 t2 t/a.txt t/a
  reference t/a t/a.txt t2 >expected
  same expected out 'sorted over all paths'
}

case_follow() {
  odd_tree
  rm t/broken
  mkdir out.d
  echo o >out.d/o
  ln -s ../out.d t/x1
  ln -s ../out.d t/x2
  run 0 --follow t
  empty err
  [ "$(wc -l <out)" -eq 18 ] || fail "$(wc -l <out) lines"
  says out '  t/x1/o'
  sha256sum -c --quiet --strict out || fail 'sha256sum -c objects'
  run 0 t/dirlink
  reference t/dirlink/ | sed 's|dirlink//|dirlink/|' | cmp - out ||
    fail 'a path that is a link'
}

case_broken_links() {
  odd_tree
  ln -s loop t/loop
  run 1 --follow t
  says err 't/broken: No such file or directory'
  says err 't/loop: Too many levels of symbolic links'
  [ "$(wc -l <err)" -eq 2 ] || fail 'more messages than broken links'
  [ "$(wc -l <out)" -eq 17 ] || fail 'the rest does not go on'
  run 1 t missing t/broken
  says err 'missing: No such file or directory'
  says err 't/broken: No such file or directory'
  reference t | cmp - out || fail 'the rest does not go on'
}

# Root may read all files, unless it gives up these capabilities.
unprivileged() {
  setpriv --bounding-set=-dac_override,-dac_read_search "$hash_tree" "$@"
}

case_unreadable() {
  if [ "$(id -u)" -eq 0 ]; then
    hash_tree=$program program=unprivileged
  fi
  mkdir -p t/closed
  echo a >t/a
  echo b >t/b
  chmod 000 t/a t/closed
  run 1 t
  chmod 700 t/closed
  says err 't/a: Permission denied'
  says err 't/closed: Permission denied'
  [ "$(wc -l <out)" -eq 1 ] || fail 'the rest does not go on'
}

# The first file keeps the only worker busy and the window is 32 files, so the
# walk has listed the folder long before it comes to the last file.
case_vanishing() {
  mkdir t
  truncate -s 200G t/a
  touch t/b{000..099}
  "$program" --workers 1 t >out 2>err &
  local pid=$!
  until_true 'the first file is read' reads "$pid" t/a
  rm t/b099
  truncate -s 0 t/a
  local code=0
  wait "$pid" || code=$?
  [ "$code" -eq 1 ] || fail "exit $code"
  says err 't/b099: No such file or directory'
  [ "$(wc -l <out)" -eq 100 ] || fail 'the rest does not go on'
}

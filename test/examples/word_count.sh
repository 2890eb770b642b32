#!/bin/sh
# word_count PROGRAM: counts what grep, tr, sort and uniq count.
set -eu
LC_ALL=C
export LC_ALL
program=$1
scratch=$(mktemp -d)
trap 'chmod -R u+rwx "$scratch"; rm -rf "$scratch"' EXIT

fail() {
  echo "$*" >&2
  cat "$scratch/error" >&2
  exit 1
}

# run STATUS ARGUMENT...: leaves `out` and `error`.
run() {
  wanted=$1
  shift
  status=0
  "$program" "$@" >"$scratch/out" 2>"$scratch/error" || status=$?
  [ "$status" -eq "$wanted" ] || fail "exit $status, not $wanted: $*"
}

same() { # WHAT
  cmp "$scratch/expected" "$scratch/out" || fail "differs: $1"
}

says() { # FILE TEXT
  grep -qF -- "$2" "$scratch/$1" || fail "$1 does not say: $2"
}

is_silent() {
  [ ! -s "$scratch/error" ] || fail 'messages where there should be none'
}

# What the tools count in the text files under a path.
reference() {
  grep -rhI '' "$1" | tr -cs 'A-Za-z0-9' '\n' | tr 'A-Z' 'a-z' \
    | grep . | sort | uniq -c
}

counts_the_same() { # PATH CHUNK...
  path=$1
  shift
  reference "$path" >"$scratch/expected"
  for chunk; do
    for workers in 1 3; do
      run 0 --workers "$workers" --chunk "$chunk" "$path"
      is_silent
      same "$path with chunks of $chunk, $workers workers"
    done
  done
}

# Without arguments, the licences that are on every Debian.
licences=/usr/share/common-licenses
if [ -d "$licences" ]; then
  counts_the_same "$licences" 99 65536
  run 0
  same 'the default'
  sort -k 1,1nr -k 2 "$scratch/expected" | head -n 5 >"$scratch/most"
  run 0 --top 5
  mv "$scratch/most" "$scratch/expected"
  same 'the five most frequent'
fi

# Odd files. The links and what is binary are not to be counted.
tree=$scratch/tree
mkdir -p "$tree/a b/c" "$tree/none"
: >"$tree/empty"
printf 'no newline at the end' >"$tree/a b/1"
printf 'end of THE line\nthe' >"$tree/a b/2"
printf '\n\n ,;\n' >"$tree/no words"
printf 'new line\n' >"$tree/new
line"
printf '\303\274ber na\357ve\r\nword\377word\n' >"$tree/bytes"
printf 'binary\0word word\n' >"$tree/binary"
head -c 200000 /dev/zero | tr '\0' 'W' >"$tree/huge"
seq 20000 >"$tree/a b/c/numbers"
printf 'linked\n' >"$scratch/elsewhere"
ln -s "$scratch/elsewhere" "$tree/link"
ln -s . "$tree/loop"
ln -s nowhere "$tree/broken"
mkfifo "$tree/fifo"
counts_the_same "$tree" 97 4096 1000000
counts_the_same "$tree/a b/1" 1
[ "$(cut -c 1-11 "$scratch/out" | head -n 1)" = '      1 at' ] \
  || fail 'the reference is not what it should be'

# A link that is named is followed.
counts_the_same "$tree/link" 4
says out linked

# Nothing to count is nothing wrong.
run 0 "$tree/none"
[ ! -s "$scratch/out" ] || fail 'words out of nowhere'
is_silent

# What cannot be read is named, the rest is counted.
run 1 "$scratch/missing"
says error "word_count: $scratch/missing: No such file or directory"
run 1 "$tree/fifo"
says error "word_count: $tree/fifo: not a regular file"
if [ "$(id -u)" -ne 0 ]; then
  reference "$tree" >"$scratch/expected"
  mkdir "$tree/closed"
  printf 'secret\n' >"$tree/unreadable"
  chmod 000 "$tree/unreadable" "$tree/closed"
  run 1 "$tree"
  same 'with a file that cannot be read'
  says error "word_count: $tree/closed: Permission denied"
  says error "word_count: $tree/unreadable: Permission denied"
  [ "$(wc -l <"$scratch/error")" -eq 2 ] || fail 'other messages'
fi

# A full disk.
if [ -c /dev/full ]; then
  status=0
  "$program" "$tree" >/dev/full 2>"$scratch/error" || status=$?
  [ "$status" -eq 1 ] || fail "exit $status on a full disk"
  says error 'word_count: standard output: No space left on device'
fi

# Progress on a terminal, gone at the end. It takes a tenth of a second to show.
seq 1000000 >"$scratch/long"
on_terminal() { # ARGUMENT...
  script -qfec "exec '$program' $* '$scratch/long' >/dev/null" \
    "$scratch/screen" </dev/null >/dev/null
  tr '\r' '\n' <"$scratch/screen" | grep -v -e '^Script' -e '^$' \
    >"$scratch/lines" || :
}
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  on_terminal
  grep -q '1 files  [0-9.]* .*B  [0-9.]* .*B/s  [0-9]* words' "$scratch/lines" \
    || fail 'no progress'
  tail -n 1 "$scratch/lines" | grep -q '\[K$' || fail 'the progress stays'
  on_terminal --quiet
  ! grep -q words "$scratch/lines" || fail 'quiet is not'
fi
rejected() { # ARGUMENT...
  run 2 "$@"
  grep -q '^Usage: word_count' "$scratch/error" || fail "no usage: $*"
  [ ! -s "$scratch/out" ] || fail "output: $*"
}

rejected --chunk 0
rejected --chunk -1
rejected --chunk many
rejected --workers 0
rejected --workers 257
rejected --top 0
rejected --nonsense
rejected one two

run 0 --help
says out '--top'

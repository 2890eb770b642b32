#!/usr/bin/env bash
# farm_demo.sh SCRIPT: the script of `./dev farm` looks for the port of the front
# in no file that is not there yet, however late the front makes it. Here it makes
# none: its standard output, which it opens first, is a pipe that nothing reads.
set -euo pipefail

script=$1
scratch=$(mktemp -d)
demo=
clean_up() {
  [ -z "$demo" ] || kill "$demo" 2>/dev/null || true
  rm -rf "$scratch"
}
trap clean_up EXIT

mkdir "$scratch/bin" "$scratch/work"
mkfifo "$scratch/found"
cat >"$scratch/bin/mktemp" <<END
#!/bin/sh
mkdir "$scratch/made" 2>/dev/null && exec echo "$scratch/work"
exec "$(command -v mktemp)" "\$@"
END
# Is run just before the front.
cat >"$scratch/bin/tr" <<END
#!/bin/sh
rm -f "$scratch/work/sums" && mkfifo "$scratch/work/sums"
exec "$(command -v tr)" "\$@"
END
# Tells once whether the file that is read is there.
cat >"$scratch/bin/sed" <<END
#!/bin/sh
for file; do :; done
if [ "\${file##*/}" = front.log ] && mkdir "$scratch/told" 2>/dev/null; then
  if [ -e "\$file" ]; then echo yes; else echo no; fi >"$scratch/found"
fi
exec "$(command -v sed)" "\$@"
END
chmod +x "$scratch"/bin/*

PATH=$scratch/bin:$PATH bash "$script" /bin/true "$scratch" 2>/dev/null &
demo=$!
read -r is_there <"$scratch/found"
kill "$demo"
wait "$demo" || true
demo=
[ "$is_there" = yes ] || {
  echo "$script: reads front.log before it is there" >&2
  exit 1
}

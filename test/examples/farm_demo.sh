#!/usr/bin/env bash
# farm_demo.sh SCRIPT FARM: the script of `./dev farm` has a tree hashed while it
# kills what it says, and does not complain of files that are not there yet, however
# late the front makes them.
set -euo pipefail

script=$1 farm=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Enough files for output before the work is done.
mkdir -p "$scratch/tree/a"
for i in {1..2000}; do
  echo "$i" >"$scratch/tree/a/$i"
done
for i in {1..600}; do
  truncate -s 900KB "$scratch/tree/big-$i"
done
cat >"$scratch/late" <<END
#!/bin/sh
[ "\$1" != front ] || sleep 0.5
exec "$farm" "\$@"
END
chmod +x "$scratch/late"

status=0
bash "$script" "$scratch/late" "$scratch/tree" >"$scratch/out" 2>"$scratch/err" \
  || status=$?
cat "$scratch/out"
((status == 0)) || { cat "$scratch/err" >&2; exit "$status"; }
grep -qx 'the standby serves the pool' "$scratch/out"
grep -qx "sha256sum agrees on all 2600 files of $scratch/tree" "$scratch/out"
[ ! -s "$scratch/err" ] || {
  cat "$scratch/err" >&2
  exit 1
}

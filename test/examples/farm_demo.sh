#!/usr/bin/env bash
# farm_demo.sh SCRIPT FARM: the script of `./dev farm` has a tree hashed, and does
# not complain of files that are not there yet, however late the front makes them.
set -euo pipefail

script=$1 farm=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tree"
for i in {1..300}; do
  echo "$i" >"$scratch/tree/$i"
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
grep -qx "sha256sum agrees on all 300 files of $scratch/tree" "$scratch/out"
[ ! -s "$scratch/err" ] || {
  cat "$scratch/err" >&2
  exit 1
}

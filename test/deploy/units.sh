#!/bin/sh
# units.sh DEPLOY FARM NATS_CONFIG: systemd accepts the units in DEPLOY/systemd, and
# finds them well confined. Each option in them and in libpool.env is one that FARM,
# the program, prints in its help. The server accepts the configuration of a cluster,
# beside that of NATS_CONFIG, apps/farm/nats_config. Exit 77 if there is no
# systemd-analyze.
set -eu
units=$(cd "$1/systemd" && pwd) farm=$(realpath "$2") nats_config=$3
tools=$(dirname "$nats_config")/../../tools
PATH=$PATH:/usr/sbin # where Debian has servers
most_exposure=20 # tenths, from 0 to 100

command -v systemd-analyze >/dev/null || {
  echo 'units: skipped, there is no systemd-analyze'
  exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

fail() {
  echo "units: $1" >&2
  status=1
}

# check UNIT: systemd has no objection, which it would print.
check() {
  SYSTEMD_UNIT_PATH="$scratch:" systemd-analyze verify --man=no \
    --recursive-errors=no "$1" >"$scratch/out" 2>&1 \
    || fail "systemd-analyze verify fails for $1"
  # What the machine's own units are told does not matter here.
  ! grep -F "${1%@*}" "$scratch/out" >&2 || fail "see above: $1"
  SYSTEMD_UNIT_PATH="$scratch:" systemd-analyze security --offline=yes \
    --threshold=$most_exposure --no-pager "$1" >"$scratch/out" 2>&1 \
    || { tail -n 1 "$scratch/out" >&2; fail "$1 is not confined enough"; }
}

# The program is where it was built.
cp -r "$units"/* "$scratch"
sed -i "s,/usr/local/bin/farm ,$farm ," "$scratch"/*.service
check libpool-front.service
check libpool-agent@one.service
if [ -e /lib/systemd/system/nats-server.service ]; then
  check nats-server.service
else
  echo 'units: nats-server.service is not checked, the package is not installed'
fi

# check_cluster: of the server's own certificate, as it would be in /etc/libpool.
check_cluster() {
  sh "$tools/poolcert" "$scratch/server" server
  sh "$nats_config" "$scratch/server" one >"$scratch/nats.conf"
  echo 'include "nats-cluster.conf"' >>"$scratch/nats.conf"
  sed -i "s,/etc/libpool/server/,$scratch/server/," "$scratch/nats-cluster.conf"
  nats-server -t --config "$scratch/nats.conf" >"$scratch/out" 2>&1 \
    || { cat "$scratch/out" >&2; fail 'nats-server refuses nats-cluster.conf'; }
  grep -q '^ *verify_cert_and_check_known_urls: true$' "$scratch/nats-cluster.conf" \
    || fail 'nats-cluster.conf lets any certificate join the cluster'
}
if command -v nats-server >/dev/null && command -v openssl >/dev/null; then
  check_cluster
else
  echo 'units: nats-cluster.conf is not checked, there is no nats-server or openssl'
fi

# options COMMAND VARIABLE: those of a unit, and those of its variable.
options() {
  sed -n "s,^ExecStart=/usr/local/bin/farm $1 ,,p" "$units"/*.service
  sed -n "s/^\(LIBPOOL_SERVERS\|$2\)=//p" "$units/libpool.env"
}

for command in front agent; do
  variable=LIBPOOL_$(echo $command | tr "[:lower:]" "[:upper:]")_OPTIONS
  used=$(options $command "$variable" | grep -o -e '--[a-z-]*' | sort -u)
  for flag in --certificates --name --server; do
    echo "$used" | grep -qx -e "$flag" || fail "$command is started without $flag"
  done
  "$farm" $command --help >"$scratch/help"
  for flag in $used; do
    grep -q "^  $flag\b" "$scratch/help" || fail "farm $command has no $flag"
  done
  for name in LIBPOOL_SERVERS "$variable"; do
    grep -q "^$name=" "$units/libpool.env" \
      || fail "libpool.env does not set $name"
    grep -q "^ExecStart=.* $command .*\$$name\b" "$units"/*.service \
      || fail "no unit of the $command has \$$name"
  done
done
exit $status

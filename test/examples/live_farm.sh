#!/bin/sh
# live_farm.sh POOLTOP FARM CERTIFICATES: the front of a farm shows its pool while
# it waits for agents.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$3" "$scratch" front >/dev/null
echo 'of this farm' >"$scratch/token"
sh "$(dirname "$0")/live_pages.sh" "$1" farm "$2" front /usr \
  --certificate "$scratch/front.pem" --key "$scratch/front.key" \
  --ca "$scratch/ca.pem" --token-file "$scratch/token"

#!/bin/sh
# live_farm.sh POOLCTL FARM: the front of a farm shows its pool while it waits for
# agents. Nobody listens on port 1.
set -eu
sh "$(dirname "$0")/live_pages.sh" "$1" farm "$2" front /usr \
  --server nats://127.0.0.1:1 --insecure-loopback

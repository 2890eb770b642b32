#!/bin/sh
# own_placement PROGRAM: the shared queue uses all eight workers. With the
# placement, a client that waits for each answer uses three at most: a worker
# may have answered and not have returned, but only as many have as there are
# threads for them, which are two.
set -eu
"$1" | awk '
  $1 == "shared_queue:" && $2 == 8 { ++good }
  $1 == "most_recently_used:" && $2 >= 1 && $2 <= 3 { ++good }
  { print }
  END { exit good != 2 }' >&2

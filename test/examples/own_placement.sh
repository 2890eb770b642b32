#!/bin/sh
# own_placement PROGRAM: the shared queue uses all eight workers. With the
# placement, a client that waits for each answer uses a few: another one is
# chosen only while all that have been are busy, and those have answered, and
# have not returned yet, or pause so that other actors get their turn.
set -eu
"$1" | awk '
  $1 == "shared_queue:" && $2 == 8 { ++good }
  $1 == "most_recently_used:" && $2 >= 1 && $2 < 8 { ++good }
  { print }
  END { exit good != 2 }' >&2

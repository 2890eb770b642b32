#!/bin/sh
# replicas PROGRAM: three writes are done when two replicas have them, and no read
# waits for the slow one or sees what it has not been told yet.
set -eu
"$1" | awk '
  /^two replicas have/ { ++written }
  /^read 3$/ { ++current }
  / of 6 reads were sent to a second replica$/ { again = $1 }
  { print }
  END { exit written != 3 || current != 6 || again < 1 }' >&2

#!/bin/sh
# own_policy PROGRAM: the fewest bytes decide. After the first text one worker
# has 100; the other one takes three of 1 and, still behind, the one of 200;
# then it is the first one's turn again.
set -eu
who_got_what=$("$1" | awk '{ if (!first) first = $NF
                             printf "%s:%s ", $1, $NF == first ? "a" : "b" }')
expected='100:a 1:b 1:b 1:b 200:b 1:a '
[ "$who_got_what" = "$expected" ] \
  || { echo "expected '$expected', got '$who_got_what'" >&2; exit 1; }

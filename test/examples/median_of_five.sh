#!/bin/sh
# median_of_five PROGRAM: of 20, 210, 22, 23 and a failure the lower median is 22;
# of 21, 23, 24 and two that never answer, 23. Two of five are too few.
set -eu
"$1" | awk '
  NR == 1 && $0 == "22 degrees" { ++good }
  NR == 2 && $0 == "23 degrees" { ++good }
  NR == 3 && /3 of 5 answers required, got [0-2]/ { ++good }
  { print }
  END { exit NR != 3 || good != 3 }' >&2

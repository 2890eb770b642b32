#!/bin/sh
# option_table.sh POOLSIM DIR: docs/policies.md lists the options of the policies
# as they are.
set -eu
listed=$(sed -n '/^| policy | option |/,/^$/{/^$/d;p;}' "$2/docs/policies.md")
if [ "$listed" != "$("$1" --policies)" ]; then
  echo "docs/policies.md: the table of options is not what poolsim --policies" \
    'prints' >&2
  exit 1
fi

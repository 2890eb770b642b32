#!/bin/sh
# include_roots.sh COMPILER CAF VERSION CORE SYNC TIMELINE POLICIES ACTORS: whoever
# has the include roots of one component cannot include headers of those above it, nor
# private ones. Each argument but the first is the folder of the public headers of
# CAF or of a component.
set -u

compiler=$1 caf=$2 version=$3 core=$4 sync=$5 timeline=$6 policies=$7 actors=$8
failures=0

includes() { # HEADER ROOT...: whether that compiles
  header=$1
  shift
  roots="-I$caf -I$version"
  for root in "$@"; do
    roots="$roots -I$root"
  done
  # shellcheck disable=SC2086 # a list of flags
  printf '#include "%s"\n' "$header" \
    | "$compiler" -std=c++17 -fsyntax-only -x c++ $roots - 2>/dev/null
}

allows() {
  includes "$@" || { echo "cannot include $1 from $2..." >&2; failures=1; }
}

refuses() {
  includes "$@" && { echo "can include $1 from $2..." >&2; failures=1; }
}

allows libpool/core/errc.hpp "$core"
refuses libpool/sync/published.hpp "$core"
refuses libpool/observability/timeline/timeline.hpp "$core"
allows libpool/sync/shared_spinlock.hpp "$sync"
refuses libpool/core/errc.hpp "$sync"
allows libpool/observability/timeline/timeline.hpp "$core" "$timeline"
refuses libpool/observability/timeline/gantt/svg.hpp "$core" "$timeline"
refuses libpool/policies/order/fifo.hpp "$core"
refuses libpool/actors/atoms.hpp "$core"
refuses libpool/pool.hpp "$core"
allows libpool/policies/order/fifo.hpp "$core" "$policies"
refuses libpool/actors/atoms.hpp "$core" "$policies"
refuses libpool/pool.hpp "$core" "$policies"
allows libpool/actors/atoms.hpp "$core" "$policies" "$actors"
refuses libpool/actors/caf/inner_pool.hpp "$core" "$policies" "$actors"

[ $failures -eq 0 ]

#!/bin/sh
# Feeds layers.sh a tree with many breaches, one a file: each has to be found, and
# none in files without one.
set -u

lint=$(dirname "$0")/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
planted=0
failures=0

fail() {
  echo "$1" >&2
  failures=$((failures + 1))
}

# plant FILE LINE KIND: makes a file with this line, the second one, in the folder
# of FILE; its name has KIND in it, and is its alone.
plant() {
  planted=$((planted + 1))
  mkdir -p "$tree/${1%/*}"
  printf '#pragma once\n%s\n' "$2" >"$tree/${1%/*}/$3$planted.${1##*.}"
}

finds() {
  plant "$1" "$2" breach
}

accepts() {
  plant "$1" "$2" fine
}

for folder in libpool/core libpool/sync libpool/timeline nodes/protocol policies \
  tools; do
  finds $folder/x.hpp '#include <caf/all.hpp>'
  finds $folder/x.cpp '#include "caf/actor.hpp"'
done
finds actors/caf/x.hpp '#include "libpool/actors/managed/managed_pool.hpp"'
finds actors/gather/x.hpp '#include "libpool/actors/managed/managed_pool.hpp"'
finds actors/gate/x.hpp '#include "libpool/actors/managed/managed_pool.hpp"'
finds actors/pipeline/x.cpp '#include "libpool/actors/gather/collector.hpp"'
finds actors/managed/x.cpp '#include "libpool/actors/direct/direct_pool.hpp"'
finds actors/direct/x.cpp '#include "libpool/actors/actor_pool.hpp"'
finds actors/gather/x.cpp '#include "libpool/nodes/actors/node_proxy.hpp"'
finds nodes/actors/x.cpp '#include "libpool/actors/managed/managed_pool.hpp"'
finds nodes/actors/x.cpp '#include "libpool/actors/actor_pool.hpp"'
finds actors/managed/x.cpp '#include "libpool/pool.hpp"'

for folder in libpool/core policies actors actors/managed nodes; do
  finds $folder/x.hpp '#include <prometheus/collectable.h>'
done
accepts metrics/x.hpp '#include <prometheus/collectable.h>'

finds actors/x.hpp 'void f(caf::execution_unit*);'
finds metrics/x.hpp 'void f(caf::execution_unit*);'
finds actors/caf/x.hpp 'const caf::type_erased_tuple& content();'
finds actors/managed/x.cpp '#if CAF_VERSION >= 1800'
finds actors/managed/x.cpp 'auto x = caf::make_mailbox_element(s, id, {}, m);'
finds actors/managed/x.cpp 'using namespace caf::detail;'
finds actors/managed/x.cpp 'caf::sys_atom::value'
finds test/actors/x.cpp 'caf::upgrade_lock<caf_lock> guard{lock};'
finds examples/x.cpp 'const caf::message_view& message'
finds bench/x.cpp 'caf::execution_unit* host'
accepts examples/support/port_1/port/x.hpp 'caf::telemetry::counter c;'
finds actors/managed/x.cpp '#include <caf/scheduler/abstract_coordinator.hpp>'
accepts actors/caf/port_0_17/x.hpp 'void f(caf::execution_unit*);'
accepts actors/caf/port_1/x.hpp '#include <caf/telemetry/gauge.hpp>'
accepts actors/managed/x.cpp 'make_element(s, id, caf::sys_atom{});'

for folder in libpool/core libpool/timeline nodes/protocol policies; do
  finds $folder/x.cpp 'auto t = std::chrono::steady_clock::now();'
  finds $folder/x.cpp 'auto t = std::chrono::system_clock::now();'
  finds $folder/x.cpp 'auto t = std::chrono::high_resolution_clock::now();'
  finds $folder/x.cpp 'auto t = clock::now();'
  finds $folder/x.cpp 'clock_gettime(CLOCK_MONOTONIC, &t);'
  finds $folder/x.cpp 'gettimeofday(&t, nullptr);'
  finds $folder/x.cpp 'auto t = std::clock();'
  finds $folder/x.cpp 'auto t = time(nullptr);'
  finds $folder/x.cpp 'auto t = std::time(&where);'
  finds $folder/x.cpp 'std::thread t{[] {}};'
  finds $folder/x.cpp 'auto f = std::async([] {});'
  finds $folder/x.cpp 'pthread_create(&t, nullptr, run, nullptr);'
  finds $folder/x.cpp 'std::random_device entropy;'
  finds $folder/x.cpp 'getrandom(&seed, sizeof seed, 0);'
  finds $folder/x.cpp 'getentropy(&seed, sizeof seed);'
  finds $folder/x.cpp 'srand(1);'
  finds $folder/x.cpp 'auto i = std::rand();'
  finds $folder/x.cpp 'std::ifstream entropy{"/dev/urandom"};'

  accepts $folder/x.hpp '/// Reads no std::chrono::steady_clock::now().'
  accepts $folder/x.hpp 'using time = std::chrono::steady_clock::time_point;'
  accepts $folder/x.hpp 'duration time() const noexcept; int x = a.time(0);'
  accepts $folder/x.cpp 'std::this_thread::yield();'
  accepts $folder/x.cpp 'std::thread::id owner;'
done
finds test/core/x.cpp 'std::this_thread::sleep_for(1ms);'
finds test/core/x.cpp 'std::this_thread::sleep_until(then);'
finds test/core/x.cpp 'usleep(1);'
finds test/core/x.cpp 'sleep(1);'
finds test/core/x.cpp 'nanosleep(&t, nullptr);'

finds test/laws/x.cpp '  rc::check("a law", [] {});'
finds test/laws/x.cpp '  if (seed > 0) { rc::check("a law", [] {}); }'
finds test/laws/x.hpp '  (void) rc::check("a law", [] {});'
accepts test/laws/x.cpp '  CHECK(rc::check("a law", [] {}));'
accepts test/laws/x.cpp '  CHECK(
    rc::check("a law", [] {}));'
accepts test/laws/x.cpp '  auto holds = rc::check("a law", [] {});'
accepts test/laws/x.cpp '  // rc::check("a law", [] {});'

accepts policies/x.cpp '#include "libpool/core/errc.hpp"'
accepts actors/x.cpp '#include <caf/all.hpp>'
accepts actors/x.cpp '#include "libpool/actors/managed/managed_pool.hpp"'
accepts actors/managed/x.cpp '#include "libpool/actors/gather/collector.hpp"'
accepts nodes/actors/x.cpp '#include "libpool/actors/caf/watch.hpp"'
accepts actors/direct/x.cpp '#include "libpool/actors/caf/watch.hpp"'
accepts actors/managed/x.cpp '#include "libpool/actors/error.hpp"'
accepts test/core/x.cpp '// It used to sleep_for(1ms) here.'

mkdir -p "$tree/libpool/core"
found=$(sh "$lint" "$tree")
[ $? -eq 1 ] || fail "does not say that there are breaches"
for file in $(cd "$tree" && find . -name 'breach*' | sed 's|^./||'); do
  echo "$found" | grep -qF "$file:2: " \
    || fail "lets through in $file: $(sed -n 2p "$tree/$file")"
done
for file in $(echo "$found" | sed -n 's/\(.*fine[^:]*\):.*/\1/p'); do
  fail "objects to $file: $(sed -n 2p "$tree/$file")"
done

find "$tree" -name 'breach*' -delete
found=$(sh "$lint" "$tree") || fail "objects to a tree without breaches: $found"

sh "$lint" "$tree/nowhere" 2>/dev/null
[ $? -eq 2 ] || fail "takes a folder that is no source tree"

[ $failures -eq 0 ]

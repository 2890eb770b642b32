#pragma once

#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

namespace test {

/// Workers 0 and 1 are there, and a task waits for worker 2.
inline libpool::restriction& hold_one(dispatcher_world& w) {
  w.join();
  w.join();
  auto& where = w.only_on({2});
  CHECK(w.submit_to(where) == "");
  CHECK(w.tasks[0].held);
  return where;
}

} // namespace test

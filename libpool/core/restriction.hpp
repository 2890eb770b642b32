#pragma once

#include "libpool/core/task.hpp"
#include "libpool/core/worker_number.hpp"

#include <algorithm>
#include <vector>

namespace libpool {

/// The workers that some tasks may run on. Tasks that may run on the same ones
/// should share it: those that cannot run now wait here, and cost nothing until
/// one of the workers has room. Whoever makes it keeps it until the last of its
/// tasks is released.
struct restriction {
  restriction() = default;
  restriction(const restriction&) = delete;
  restriction& operator=(const restriction&) = delete;

  // -- set before a task of it is submitted -----------------------------------

  /// Ascending, each once. Those that have not joined may come yet.
  std::vector<worker_number> only;
  /// Whether this is a wish: with none of them there, any will do.
  bool loose = false;

  // -- kept by the dispatcher -------------------------------------------------

  /// Those that wait for one of these workers.
  task_set barred;
};

/// Whether a task of `where` may run on `who`, if it has the choice.
inline bool permits(const restriction& where, worker_number who) noexcept {
  return std::binary_search(where.only.begin(), where.only.end(), who);
}

} // namespace libpool

/// How a managed pool gets its workers from a factory, and others for workers
/// that crash.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/exit_reason.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

void managed_pool::populate(std::size_t n, const factory& make_worker) {
  if (n > options_.most_workers)
    throw std::invalid_argument(
      "libpool: managed_options: workers must be at most most_workers ("
      + std::to_string(options_.most_workers) + "), got " + std::to_string(n));
  std::exception_ptr failed;
  auto make_workers = [&](host_ptr) {
    spawning_.begin(make_worker);
    try {
      for (std::size_t i = 0; i < n; ++i)
        admit(spawning_.make());
    } catch (...) {
      failed = std::current_exception();
    }
  };
  tell(make_workers, nullptr);
  if (failed != nullptr)
    std::rethrow_exception(failed);
}

/// Adds a worker that the factory has made.
void managed_pool::admit(const caf::actor& worker) {
  if (is_nobody(worker))
    throw std::invalid_argument(
      "libpool: the factory returned an invalid handle");
  if (roster_.serves(actor_behind(worker)))
    throw std::invalid_argument("libpool: actor_pool::make: the factory "
                                "returned "
                                + name_of(actor_behind(worker)) + " twice");
  auto result = put(worker);
  if (result && result != errc::worker_down)
    throw std::invalid_argument("libpool: the factory returned a worker that "
                                "cannot be added: "
                                + words_of(result, home_system()));
  if (result)
    spawning_.ended(
      fail_state_of(actor_behind(worker)), // before it could be watched
      clock_.look());
}

/// Lets the factory make a worker, without a caller that waits for it. Returns
/// whether the worker serves.
bool managed_pool::try_spawn() {
  try {
    admit(spawning_.make_named());
    spawning_.succeeded();
    return true;
  } catch (...) {
    spawning_.failed(thrown_text(), clock_.look());
    return false;
  }
}

/// Tries each one that is due once. Replacements that fail, and are due at once
/// again, let others have their turn first.
void managed_pool::replace_crashed() {
  auto time = clock_.look();
  for (auto due = spawning_.take_due(time); due > 0; --due)
    if (try_spawn())
      spawning_.replaced_one();
  if (!spawning_.has_to_pause(time))
    return;
  auto try_again = [address = address(), this](host_ptr host) {
    if (auto self = reach(address))
      tell([this](host_ptr) { spawning_.may_try_again(); }, host);
  };
  call_later(home_system(), try_again);
}

} // namespace libpool

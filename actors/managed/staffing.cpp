/// How many workers a managed pool has: its factory makes those that are
/// missing, and idle ones that are too many are retired.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/caf/words.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
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
    staffing_.begin();
    try {
      for (std::size_t i = 0; i < n; ++i) {
        staffing_.added();
        admit(spawning_.make());
      }
    } catch (...) {
      staffing_.resized(roster_.size());
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
    note_end(fail_state_of(actor_behind(worker))); // before it was watched
}

/// Adds a worker for a user, so that the pool has one more from now on.
caf::error managed_pool::put_by_user(const caf::actor& worker) {
  auto before = roster_.size();
  auto result = put(worker);
  if (roster_.size() > before)
    staffing_.added();
  return result;
}

/// Notes that a worker has ended, which may have to be replaced.
void managed_pool::note_end(const caf::error& reason) {
  if (spawning::is_crash(reason))
    staffing_.crashed(count_workers(), clock_.look());
  else
    staffing_.ended(count_workers());
}

/// Lets the factory make a worker, without a caller that waits for it. Returns
/// whether the worker serves.
bool managed_pool::try_spawn() {
  auto before = roster_.size();
  try {
    admit(spawning_.make_named());
    spawning_.succeeded();
  } catch (...) {
    spawning_.failed(thrown_text());
    staffing_.crashed(count_workers(), clock_.look());
  }
  return roster_.size() > before;
}

/// Counts the workers, those that have gone on as those that wait in vain.
headcount managed_pool::last_count() const noexcept {
  return {roster_.size(), roster_.presumed_dead(),
          dispatcher_.workers().hanging() + in_vain_.size()};
}

/// Counts the workers. A worker that waits for its own pool in vain, and has
/// got a stand-in, is stuck until it goes on.
headcount managed_pool::count_workers() {
  auto goes_on = [this](worker_number number) {
    auto* worker = roster_.find(number);
    return worker == nullptr || !worker->waits || worker->hanging > 0
           || !roster_.serves(*worker);
  };
  in_vain_.erase(std::remove_if(in_vain_.begin(), in_vain_.end(), goes_on),
                 in_vain_.end());
  auto result = last_count();
  if (staffing_.surplus(result) > 0) { // some may have quit, and be alive still
    auto serving = std::min(roster_.serving().size(), result.serving);
    result.unreported += result.serving - serving;
    result.serving = serving;
  }
  return result;
}

/// Makes workers that are missing, and retires idle ones that are too many. If
/// the factory fails, and is to be called again at once, others have their turn
/// first.
void managed_pool::keep_staffed() {
  auto is_settled = in_vain_.empty() && staffing_.is_settled(last_count());
  if (is_settled || !staffing_.compare(count_workers()))
    return;
  auto time = spawning_.pauses() ? instant::min() : clock_.look();
  auto change = staffing_.decide(count_workers(), time);
  for (std::size_t i = 0; i < change.made; ++i)
    if (try_spawn() && i < change.replacements)
      statistics_.note_restart();
  retire_idle(change.retired);
  staffing_.compare(count_workers()); // the figures of what was done
  if (staffing_.next() > time || !spawning_.pause())
    return;
  auto try_again = [address = address(), this](host_ptr host) {
    if (auto self = reach(address))
      tell([this](host_ptr) { spawning_.go_on(); }, host);
  };
  call_later(home_system(), try_again);
}

/// Returns the serving workers in the order in which they are retired: workers
/// that hang, then workers that have hung, the newest first.
std::vector<managed_worker*> managed_pool::in_order_of_retirement() const {
  auto result = roster_.serving();
  auto key = [](const managed_worker& worker) {
    return std::tuple{worker.hanging > 0, worker.overran, worker.number};
  };
  std::sort(result.begin(), result.end(),
            [&](auto* x, auto* y) { return key(*x) > key(*y); });
  return result;
}

/// Retires workers that have no tasks.
void managed_pool::retire_idle(std::size_t most) {
  if (most == 0 || dispatcher_.workers().busy() >= roster_.size())
    return;
  for (auto* each : in_order_of_retirement()) {
    if (each->in_flight > 0)
      continue;
    retire(*each, true, nullptr);
    if (--most == 0)
      return;
  }
}

/// Makes a stand-in for a worker that waits for its own pool in vain, if the
/// options permit one. Returns whether the factory was asked.
bool managed_pool::gets_stand_in() {
  auto count = count_workers();
  ++count.stuck;
  if (staffing_.missing(count) == 0)
    return false;
  auto waits_alone = [this](const managed_worker* each) {
    return each->waits && each->hanging == 0
           && std::find(in_vain_.begin(), in_vain_.end(), each->number)
                == in_vain_.end();
  };
  const auto workers = roster_.serving();
  auto i = std::find_if(workers.begin(), workers.end(), waits_alone);
  if (i == workers.end())
    return false;
  in_vain_.push_back((*i)->number);
  keep_staffed();
  return true;
}

/// If all workers wait for a request that none of them will handle, and no
/// worker is about to be replaced, makes another worker for one of them, or
/// fails the request. Returns whether there was such a request.
bool managed_pool::breaks_cycle() {
  if (staffing_.is_pending() || roster_.presumed_dead() > 0)
    return false;
  auto* task = dispatcher_.waits().in_cycle();
  if (task == nullptr)
    return false;
  if (dispatcher_.waits().could_go_to_new_worker(*task) && gets_stand_in())
    return true;
  dispatcher_.failed(*task, errc::cycle, now());
  return true;
}

} // namespace libpool

#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/core/dispatcher.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

namespace libpool {

/// Ends of tasks of a managed pool: tells clients, outer pools and functions of
/// the user, and recycles tasks. If many tasks end in one round without a
/// worker, most of the ends are told in later rounds.
///
/// Threads: the pool's.
class settlement {
public:
  using host_ptr = execution_context*;

  settlement(dispatcher& dispatcher, pool_clock& clock, recycler& recycler,
             intake& intake, answers& answers, gathers& gathers,
             staff& staff) noexcept
    : dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      intake_(intake),
      answers_(answers),
      gathers_(gathers),
      staff_(staff) {
    // nop
  }

  settlement(const settlement&) = delete;
  settlement& operator=(const settlement&) = delete;

  /// Begins a round, in which further ends can be told.
  void round_begins() noexcept {
    told_ = 0;
  }

  /// Tells the end of a task whose handler may still run.
  void settle(managed_task& task, const decision& by, host_ptr host) {
    if (by.how != outcome::completed || answers_.tells_settled())
      tell_end(task, by, host); // else the handler has answered
  }

  /// Tells the end of a task, and recycles the task; in a later round if this
  /// round has told many ends.
  void end(managed_task& task, const decision& by, host_ptr host);

  /// Recycles a task that was settled.
  void release(managed_task& task);

  /// Whether ends are left for later rounds.
  bool has_more() const noexcept {
    return !put_off_.empty();
  }

  /// Tells ends that were left for later rounds, at most `most`.
  void tell_more(std::size_t most, host_ptr host);

  /// Tells all ends that were left for later rounds.
  void tell_all(host_ptr host) {
    tell_more(put_off_.size(), host);
  }

  /// Calls `f` when the ends of the tasks that have ended until now are told.
  void when_told(std::function<void(host_ptr)> f) {
    callers_.push_back(std::move(f));
  }

  /// Calls the functions that wait until ends are told, if all are.
  void round_ends(host_ptr host) {
    if (!callers_.empty() && put_off_.empty())
      tell_callers(host);
  }

private:
  void tell_end(managed_task& task, const decision& by, host_ptr host);
  void fail(managed_task& task, const decision& by, const caf::error& why,
            host_ptr host);
  void tell_callers(host_ptr host);

  dispatcher& dispatcher_;
  pool_clock& clock_;
  recycler& recycler_;
  intake& intake_;
  answers& answers_;
  gathers& gathers_;
  staff& staff_;
  std::vector<std::function<void(host_ptr)>> callers_;
  std::deque<decision> put_off_; // ends to be told in later rounds
  std::size_t told_ = 0;         // ends without a worker, in this round
};

} // namespace libpool

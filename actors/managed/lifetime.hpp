#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/dispatching.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/pauses.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/recycler.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/user_answer.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

#include <caf/error.hpp>

#include <cstddef>

namespace libpool {

/// Draining and end of a managed pool.
///
/// Threads: the pool's.
class lifetime {
public:
  using host_ptr = execution_context*;

  lifetime(managed_front& pool, dispatcher& dispatcher, pool_clock& clock,
           const recycler& recycler, endings& end, staff& staff,
           dispatching& dispatching, pauses& pauses) noexcept
    : pool_(pool),
      dispatcher_(dispatcher),
      clock_(clock),
      recycler_(recycler),
      end_(end),
      staff_(staff),
      dispatching_(dispatching),
      pauses_(pauses) {
    // nop
  }

  /// Stops the acceptance of messages. `answer` is given when the pool ends;
  /// nullptr: none.
  void drain(user_answer answer, host_ptr host);

  /// Gives the answer at the end of the first round after which no accepted
  /// message is open.
  void await_idle(user_answer answer, host_ptr host);

  /// Ends the pool if its last message or worker was the last one.
  void round_ends(host_ptr host) {
    if (end_.drains() || staff_.workers().seats() == 0)
      end_if_over(host);
  }

  /// Gives the answers that are due when no accepted message is open.
  void answer_if_idle(host_ptr host) {
    if (end_.is_awaited_idle() && is_idle())
      end_.answer_idle(errc{}, host);
  }

  /// Ends the pool and stops its workers. Workers that were retired, and would
  /// have been stopped after their last message, are stopped now. Does nothing
  /// if the pool has ended.
  void end(const caf::error& reason, host_ptr host);

  /// Ends the pool, to which nothing refers, and fails its waiting messages.
  /// Workers to which nothing else refers vanish, except workers that wait in
  /// threads of their own: these are stopped.
  void vanish(host_ptr host);

  /// Number of messages and tasks that wait for a worker or for the end of a
  /// pause, if only a user can add one or end it; otherwise 0.
  std::size_t waiting_in_vain() {
    auto nodes_may_join = staff_.entrance() != nullptr;
    auto lacks_workers = !nodes_may_join
                         && end_.waits_in_vain(staff_.is_alone());
    auto is_held_back = dispatcher_.waits_for_user() && !nodes_may_join
                        && !staff_.expects_replacements()
                        && staff_.workers().seats() > 0;
    if (!lacks_workers && !is_held_back)
      return 0;
    const auto& books = dispatcher_.books();
    return books.waiting + books.assigned;
  }

private:
  /// Whether all accepted messages are settled.
  bool is_idle() const {
    return dispatcher_.books().open() == 0 && !dispatching_.has_more_to_do();
  }

  void end_if_over(host_ptr host);

  managed_front& pool_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  const recycler& recycler_;
  endings& end_;
  staff& staff_;
  dispatching& dispatching_;
  pauses& pauses_;
};

} // namespace libpool

#pragma once

#include "libpool/actors/caf/announced_messages.hpp"
#include "libpool/actors/caf/client_requests.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/gathers.hpp"
#include "libpool/actors/managed/intake.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/tasks_in_flight.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/dispatcher.hpp"

#include <caf/error.hpp>

#include <memory>

namespace libpool {

/// Cancels messages of a managed pool. A user selects the messages, an outer
/// pool announces them, or their clients have gone.
///
/// Order:   the message that was sent last comes first. So a worker, a node or
///          an inner pool that is freed begins none of the messages.
/// Cost:    O(tasks).
/// Threads: the pool's.
class cancellation {
public:
  cancellation(const managed_setup& options, dispatcher& dispatcher,
               pool_clock& clock, const endings& end, const intake& intake,
               gathers& gathers, tasks_in_flight& flight) noexcept
    : options_(options),
      dispatcher_(dispatcher),
      clock_(clock),
      end_(end),
      intake_(intake),
      gathers_(gathers),
      flight_(flight) {
    // nop
  }

  /// Returns why the pool cannot know which messages are selected.
  caf::error objection_to(const selection& selected) const;

  /// Cancels the selected messages.
  cancel_counts cancel(const selection& selected);

  /// Cancels messages of an outer pool. `answers_early`: whether clients may be
  /// answered while the handlers run.
  void cancel(const announced_messages& messages, bool answers_early);

  /// Cancels the requests, and asks their handlers to stop.
  void cancel(const client_requests& requests);

  /// Tells the outer pool when the handler of its message began, unless no
  /// handler runs. If several workers handle it, the first handler counts.
  void tell_begin(const std::shared_ptr<passage>& sent,
                  execution_context* host) const;

private:
  template <class F, class G>
  cancel_counts cancel_where(F is_meant, G cancel_task);
  bool cancel(managed_task& task);
  bool stop(managed_task& task);

  const managed_setup& options_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  const endings& end_;
  const intake& intake_;
  gathers& gathers_;
  tasks_in_flight& flight_;
};

} // namespace libpool

#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/managed/endings.hpp"
#include "libpool/actors/managed/managed_front.hpp"
#include "libpool/actors/managed/pool_clock.hpp"
#include "libpool/actors/managed/staff.hpp"
#include "libpool/actors/managed/tasks_in_flight.hpp"
#include "libpool/actors/managed/user_answer.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/policy_values.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/throttle.hpp"

#include <caf/error.hpp>

#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Pauses of a managed pool and of its parts, and limits on its tasks.
///
/// Threads: the pool's.
class pauses {
public:
  using host_ptr = execution_context*;

  pauses(managed_front& pool, dispatcher& dispatcher, pool_clock& clock,
         const endings& end, staff& staff, tasks_in_flight& flight) noexcept
    : pool_(pool),
      dispatcher_(dispatcher),
      clock_(clock),
      end_(end),
      staff_(staff),
      flight_(flight) {
    // nop
  }

  /// Pauses the scope, and takes back what workers have not begun. Returns why
  /// that is not possible.
  caf::error pause(const pause_scope& scope, host_ptr host);

  /// Gives the answer when no handler of the scope runs.
  void await_quiet(const pause_scope& scope, user_answer answer) {
    awaited_.emplace_back(std::move(answer), scope);
  }

  /// Ends the pause of the scope. Users that wait until nothing runs get an
  /// error. Returns why that is not possible.
  caf::error resume(const pause_scope& scope, host_ptr host);

  /// Replaces the limits on tasks at workers. Returns why that is not possible.
  caf::error set_limits(const throttles& within);

  /// Changes values of the policy. Returns why that is not possible; nothing is
  /// changed then.
  caf::error set_policy_values(const policy_values& values);

  /// Ends all pauses, since the pool drains or ends.
  void end_all(host_ptr host);

  /// Answers the users for whose scopes no handler runs any more.
  void round_ends(host_ptr host) {
    if (!awaited_.empty())
      answer_quiet(host);
  }

private:
  caf::error objection_to(const pause_scope& scope) const;
  caf::error objection_to_weights(const policy_values& values) const;
  void recall_paused();
  void take_back_from_nodes(const pause_scope& scope, host_ptr host);
  bool is_quiet(const pause_scope& scope) const;
  void answer_quiet(host_ptr host);
  template <class F>
  void answer(F f, errc why, host_ptr host);

  managed_front& pool_;
  dispatcher& dispatcher_;
  pool_clock& clock_;
  const endings& end_;
  staff& staff_;
  tasks_in_flight& flight_;
  std::vector<std::pair<user_answer, pause_scope>> awaited_;
};

/// Returns why the pool cannot carry out the command `command` about flows;
/// empty if it can.
caf::error objection_to_flows(const dispatcher& dispatcher,
                              const std::string& command);

} // namespace libpool

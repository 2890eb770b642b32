#pragma once

#include "libpool/core/instant.hpp"

#include <caf/actor.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

/// Values of a policy that can change while its pool runs, see
/// `actor_pool::set_policy_values`.
struct policy_values {
  /// Shares of flows by their names, each above 0; flows without an entry have
  /// the share 1. Unset: the shares stay. For `fair_queuing` in mode `exact`.
  std::optional<std::map<std::string, double>> shares = std::nullopt;
  /// Waiting time that raises the priority of a message by one level, above 0;
  /// counts for messages that are accepted later. Unset: the time stays. For
  /// `priority`, if the pool was made with an `age_step`.
  std::optional<duration> age_step = std::nullopt;
  /// Weights of workers, each above 0; other workers keep theirs. For policies
  /// with `weight_of`.
  std::vector<std::pair<caf::actor, duration>> weights = {};
};

} // namespace libpool

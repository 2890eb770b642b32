#pragma once

#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/actors/policy_options.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/catalogue.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace libpool {

/// Complete description of a managed pool: options, functions and policy.
struct managed_setup : managed_options, message_functions {
  /// Function that makes the order, the placement and optionally the stealing
  /// of one pool. The argument states whether tasks can have restrictions or
  /// costs, see `asks_places` below.
  std::function<composition(bool)> compose = nullptr;
  /// Name of the policy; empty if the user composed it from parts.
  std::string policy = {};
  /// Options of a distributed pool; unset: the pool is not distributed.
  std::optional<node_options> nodes = std::nullopt;
  /// Maximum time for which messages wait while no program serves the pool. Set
  /// only in a client of a pool of another program; the nodes of a client are
  /// the programs that serve that pool.
  std::optional<duration> patience = std::nullopt;
  /// Description of how several tasks handle one message; nullptr: each message
  /// is one task.
  std::shared_ptr<const gathering> gathers = nullptr;
  /// Whether an option of `managed_options` differs from its default.
  bool has_options = false;
  /// Function that returns the same policy with other options. Throws the same
  /// exceptions as the function of `actor_pool` that made the policy.
  std::function<managed_setup(managed_options)> with = nullptr;
};

/// Whether the user has set `node_options::wants_of`, which returns the
/// requirements of messages on nodes.
bool wants_nodes(const managed_setup& given) noexcept;

/// Whether a function of the user restricts the workers of messages, or states
/// costs of messages.
bool asks_places(const managed_setup& given) noexcept;

/// Checks that the policy uses each given option, and that no required function
/// is missing.
///
/// Errors: std::invalid_argument names the option, and the policy that uses it.
void check(const recipe& how, const managed_setup& given);

} // namespace libpool

#pragma once

#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/node_options.hpp"
#include "libpool/actors/policy_options.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/catalogue.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace libpool {

struct composition;

/// Complete description of a managed pool: options, functions and policy.
struct managed_setup : managed_options, message_functions {
  /// Function that makes the parts of the policy for one pool: the order of
  /// waiting tasks, the placement on workers, and optionally the rule by which
  /// idle workers take over tasks. The argument states whether tasks can be
  /// restricted to some workers or have stated costs, see `asks_places`.
  std::function<composition(bool)> compose = nullptr;
  /// Name of the policy, such as `shared_queue`; empty if the user composed the
  /// policy of parts.
  std::string policy = {};
  /// Options of a distributed pool; unset: the pool is not distributed.
  std::optional<node_options> nodes = std::nullopt;
  /// Maximum time for which messages wait while no program serves the pool. Set
  /// only in a client of a pool of another program. Such a client has a pool of
  /// its own, whose nodes are the programs that serve the other pool.
  std::optional<duration> patience = std::nullopt;
  /// Description of how several tasks handle one message together; nullptr: one
  /// task handles each message.
  std::shared_ptr<const gathering> gathers = nullptr;
  /// Whether an option of `managed_options` differs from its default.
  bool has_options = false;
  /// Function that returns the same policy with the given options. Throws the
  /// same exceptions as the function of `actor_pool` that made the policy.
  std::function<managed_setup(managed_options)> with = nullptr;
};

/// Whether the user has set `node_options::wants_of`, the function that returns
/// which nodes may handle a message.
LIBPOOL_EXPORT bool wants_nodes(const managed_setup& given) noexcept;

/// Whether the user has set a function that states which workers may or should
/// handle a message, or what a message costs. These functions are `home_of`,
/// `may_run_on`, `wants_of`, `move_cost`, `kind_of` and `estimate_of`.
LIBPOOL_EXPORT bool asks_places(const managed_setup& given) noexcept;

/// Checks that the policy `recipe` uses each option and function that the user
/// has set in `given`, and that no function that the policy requires is
/// missing.
///
/// Errors: std::invalid_argument names the option, and the policy that uses it.
LIBPOOL_EXPORT void check(const recipe& recipe, const managed_setup& given);

} // namespace libpool

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

/// Everything that a managed pool is made from.
struct managed_setup : managed_options, message_functions {
  /// Makes an order, a placement and optionally a stealing, for one pool. The
  /// argument is `asks_places` of this setup.
  std::function<composition(bool)> compose = nullptr;
  /// Name of the policy; empty if it was made of parts.
  std::string policy = {};
  /// Options of a distributed pool; unset: the pool is not distributed.
  std::optional<node_options> nodes = std::nullopt;
  /// How messages are handled by several tasks; nullptr: each message is one
  /// task.
  std::shared_ptr<const gathering> gathers = nullptr;
  /// Whether an option differs from its default.
  bool has_options = false;
  /// Returns the same policy with other options; throws as the policy does.
  std::function<managed_setup(managed_options)> with = nullptr;
};

/// Whether the user gives the requirements of messages on nodes.
bool wants_nodes(const managed_setup& given) noexcept;

/// Whether the user restricts where messages run, or says what it costs to run
/// them there.
bool asks_places(const managed_setup& given) noexcept;

/// Checks that each given function is used by the policy, and that none is
/// missing.
///
/// Errors: std::invalid_argument names the option, and the policy that uses it.
void check(const recipe& how, const managed_setup& given);

} // namespace libpool

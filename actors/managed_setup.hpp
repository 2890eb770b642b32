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

/// All that a managed pool is told.
struct managed_setup : managed_options, message_functions {
  /// Makes an order, a placement and perhaps a stealing: each pool has its own.
  /// Told whether the user says where tasks are to run, see `asks_places`.
  std::function<composition(bool)> compose = nullptr;
  /// The name of the policy; empty for one that is made of parts.
  std::string policy = {};
  /// If the workers are on other nodes.
  std::optional<node_options> nodes = std::nullopt;
  /// None if each message is one task.
  std::shared_ptr<const gathering> gathers = nullptr;
  /// Whether an option differs from its default.
  bool has_options = false;
  /// The same policy with other options; throws as the policy does.
  std::function<managed_setup(managed_options)> with = nullptr;
};

/// Whether the user says which nodes messages want.
bool wants_nodes(const managed_setup& given) noexcept;

/// Whether the user says on which workers messages are to run, or what that
/// costs.
bool asks_places(const managed_setup& given) noexcept;

/// Throws if the policy would never ask for something that is given, or if
/// something is missing.
///
/// Errors: std::invalid_argument names the option, and the policy that asks for
///         it.
void check(const recipe& how, const managed_setup& given);

} // namespace libpool

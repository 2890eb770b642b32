#pragma once

#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/actors/policy_options.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/catalogue.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace libpool {

/// All that a managed pool was told.
struct managed_setup : managed_options, message_functions {};

/// How a managed pool dispatches: the order, the placement and the stealing of
/// which its policy is composed, and what it was told. Each pool composes its
/// own.
struct managed_policy {
  std::function<composition()> compose;
  /// Of workers, unless the options say otherwise.
  std::size_t window = 1;
  managed_setup options;
  /// None if each message is one task.
  std::shared_ptr<const gathering> gathers = nullptr;
};

/// Throws if the policy would never ask for something that is given, or if
/// something is missing.
///
/// Errors: std::invalid_argument names the option, and the policy that asks for
///         it.
void check(const recipe& how, const managed_setup& given);

} // namespace libpool

#pragma once

#include "libpool/actors/gathering.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/catalogue.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace libpool {

/// How a managed pool dispatches: the order, the placement and the stealing of
/// which its policy is composed, and what it was told. Each pool composes its
/// own.
struct managed_policy {
  std::function<composition()> compose;
  /// Of workers, unless the options say otherwise.
  std::size_t window = 1;
  managed_options options;
  /// None if each message is one task.
  std::shared_ptr<const gathering> gathers = nullptr;
};

/// Throws if an option would have no effect with this policy, or is missing.
///
/// Errors: std::invalid_argument names the option.
void check(const recipe& how, const managed_options& options);

} // namespace libpool

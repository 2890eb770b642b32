#pragma once

#include "libpool/actors/managed_options.hpp"
#include "libpool/core/dispatcher.hpp"

#include <cstddef>
#include <functional>

namespace libpool {

/// How a managed pool dispatches: the order, the placement and the stealing of
/// which its policy is composed, and what it was told. Each pool composes its
/// own.
struct managed_policy {
  std::function<composition()> compose;
  /// Of workers, unless the options say otherwise.
  std::size_t window = 1;
  managed_options options;
};

} // namespace libpool

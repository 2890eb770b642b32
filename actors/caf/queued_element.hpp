#pragma once

#include "libpool/core/lease.hpp"

#include <caf/mailbox_element.hpp>

namespace libpool {

/// A message in a lease. The pool owns the message until the worker takes it.
class queued_element {
public:
  queued_element() = default;

  explicit queued_element(caf::mailbox_element_ptr element) noexcept
    : element_(element.release()) {
    // nop
  }

  /// Returns the message, which the caller owns.
  caf::mailbox_element_ptr take() const noexcept {
    return caf::mailbox_element_ptr{element_};
  }

  /// Loads the message into the cache.
  void prefetch() const noexcept {
    constexpr auto cache_line = 64;
    const auto* bytes = reinterpret_cast<const char*>(element_);
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + cache_line);
  }

private:
  caf::mailbox_element* element_ = nullptr;
};

} // namespace libpool

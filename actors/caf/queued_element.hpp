#pragma once

#include "libpool/core/lease.hpp"
#include "libpool/core/waiting_lines.hpp"

#include <caf/mailbox_element.hpp>

#include <cstdint>

namespace libpool {

/// Whether a message can follow another message in a lease.
enum class follows : std::uint8_t { yes, no };

/// Pointer to a message of a managed pool that waits or is leased, and facts
/// about the message, packed into one word. The holder owns the message.
class queued_element {
public:
  queued_element() = default;

  /// `is_to_pass`: whether the answer of the message must pass the pool.
  queued_element(caf::mailbox_element_ptr element, follows how,
                 bool is_to_pass = false) noexcept
    : bits_(reinterpret_cast<std::uintptr_t>(element.release())
            | static_cast<std::uintptr_t>(how) | (is_to_pass ? passes : 0)) {
    // nop
  }

  bool follows_others() const noexcept {
    return (bits_ & alone) == static_cast<std::uintptr_t>(follows::yes);
  }

  /// Whether the answer of the message must pass the pool.
  bool is_to_pass() const noexcept {
    return (bits_ & passes) != 0;
  }

  /// Whether the sender of the message is an interceptor of the pool.
  bool is_intercepted() const noexcept {
    return (bits_ & intercepted) != 0;
  }

  /// Notes that the sender of the message is an interceptor of the pool.
  void note_intercepted() noexcept {
    bits_ |= intercepted;
  }

  /// Returns the message, which the caller owns.
  caf::mailbox_element_ptr take() const noexcept {
    return caf::mailbox_element_ptr{message()};
  }

  /// Returns the message.
  caf::mailbox_element& element() const noexcept {
    return *message();
  }

  void prefetch() const noexcept {
    constexpr auto cache_line = 64;
    const auto* bytes = reinterpret_cast<const char*>(message());
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + cache_line);
  }

private:
  static constexpr std::uintptr_t alone = 1;
  static constexpr std::uintptr_t intercepted = 2;
  static constexpr std::uintptr_t passes = 4;

  caf::mailbox_element* message() const noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<caf::mailbox_element*>(
      bits_ & ~(alone | intercepted | passes));
  }

  std::uintptr_t bits_ = 0;
};

using element_line = waiting_line<queued_element>;

using worker_lease = booked_lease<queued_element>;

} // namespace libpool

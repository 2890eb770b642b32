#pragma once

#include "libpool/export.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace libpool {

/// Bytes that have arrived, and the object that keeps them alive.
struct received_bytes {
  /// Owner of the memory.
  std::shared_ptr<const void> owner;
  /// The bytes, in the memory of the owner.
  std::string_view bytes;
};

/// Receiver of the calls of a transport. The calls come from any thread of the
/// transport, and also from within `say`.
class LIBPOOL_EXPORT transport_user {
public:
  transport_user() = default;
  transport_user(const transport_user&) = delete;
  transport_user& operator=(const transport_user&) = delete;
  virtual ~transport_user() = default;

  /// Notes a message from a peer. The messages of one peer arrive in the order
  /// in which they were sent, and some can be lost.
  virtual void heard(const std::string& source, received_bytes message) = 0;

  /// Notes that messages can be sent from now on.
  virtual void came_up() = 0;

  /// Notes that messages do not arrive at present, with the reason.
  virtual void went_down(const std::string& why) = 0;

  /// Notes that the other side has ended and will not come back.
  virtual void closed() = 0;
};

/// Carries messages between a pool and its nodes or clients, which have names.
/// A pool names the receiver of each message. Each message of a node or a
/// client goes to the pool.
///
/// A call of the user that has begun in another thread can last longer than the
/// transport.
///
/// Threads: any.
class LIBPOOL_EXPORT transport {
public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Sends a message, unless the line is down: then the message is lost. The
  /// message is copied.
  virtual void say(const std::string& target, std::string_view message) = 0;

  /// Maximum size of a message in bytes.
  virtual std::size_t most_bytes() const noexcept = 0;
};

/// Opens a transport for a user. The transport calls the user until the
/// transport is destroyed. Throws std::runtime_error with the reason if the
/// transport cannot be opened.
using transport_opener =
  std::function<std::shared_ptr<transport>(std::shared_ptr<transport_user>)>;

} // namespace libpool

#pragma once

#include "libpool/live/live_options.hpp"

#include <httplib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace libpool::live {

/// Whether only this machine can reach the address; it is in digits.
bool is_loopback(const std::string& address) noexcept;

/// The address as it is in a URL.
std::string in_url(const std::string& address);

/// Who may look, and who may change something.
class access {
public:
  /// Errors: std::invalid_argument for options out of bounds.
  explicit access(const live_options& options);

  /// Whether the request is for this server by its `Host`. Another name for a
  /// loopback address is one that a page of somebody else has made up, to read
  /// what only this machine may read (DNS rebinding).
  bool is_for(const httplib::Request& request, std::uint16_t port) const;

  /// Whether it knows the token, if there is one.
  bool may_look(const httplib::Request& request) const;

  bool allows_control() const noexcept {
    return !control_token_.empty();
  }

  bool may_control(const httplib::Request& request) const;

private:
  const std::string token_;
  const std::string control_token_;
  const std::string name_; // of this server, in URLs
  const bool is_loopback_;
};

} // namespace libpool::live

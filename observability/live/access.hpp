#pragma once

#include "libpool/observability/live/live_options.hpp"
#include "libpool/observability/live/request.hpp"

#include <string>
#include <string_view>

namespace libpool::live {

/// Whether the numeric address can be reached only from this machine.
bool is_loopback(const std::string& address) noexcept;

/// Returns the address as it is written in a URL.
std::string in_url(const std::string& address);

/// Decides who may read, and who may change pools.
class access {
public:
  /// Errors: std::invalid_argument for options out of bounds.
  explicit access(const live_options& options);

  /// Whether the header `Host` of the request names this server. Another name
  /// for a loopback address can come from a page that tries to read data of
  /// this machine (DNS rebinding).
  bool is_for(const request& asked) const;

  /// Whether the request has the token, if one is required.
  bool may_look(const request& asked) const;

  bool allows_control() const noexcept {
    return !control_token_.empty();
  }

  bool may_control(const request& asked) const;

private:
  const std::string token_;
  const std::string control_token_;
  const std::string name_; // of this server, in URLs
  const bool is_loopback_;
};

} // namespace libpool::live

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace libpool::live {

/// Parts of an HTTP request on which answers depend.
struct request {
  /// Sets path and parameters.
  void set_target(std::string_view target);

  /// Returns the first value of the parameter; empty if there is none.
  std::string parameter(const std::string& name) const;

  /// Returns the first value of the parameter; unset if there is none.
  std::optional<std::string> parameter_if_any(const std::string& name) const;

  std::string method;
  std::string path;                              // decoded
  std::map<std::string, std::string> parameters; // of the query, decoded
  std::uint16_t port = 0;                        // of the server

  // Values of headers; empty if the header is missing.
  std::string host;
  std::string authorization;
  std::string fetch_site;
  std::string fetch_mode;
};

} // namespace libpool::live

#pragma once

#include <string>

namespace poolctl {

/// Client of a live view. Each request has a connection of its own.
class client {
public:
  /// `address`: `http://host:port/path`, of which only the host is required.
  ///
  /// Errors: std::invalid_argument, a sentence with the address.
  client(const std::string& address, std::string token);

  /// Returns the address as users write it.
  std::string server() const;

  /// Send a request for the target and return what the server answers.
  ///
  /// Errors: std::runtime_error, a sentence that names the server: it is not
  ///         reached, does not answer in time, or refuses the request.
  std::string get(const std::string& target) const;
  std::string post(const std::string& target) const;

private:
  std::string ask(bool is_post, const std::string& target) const;

  bool is_secure_ = false;
  std::string host_; // without the brackets of an IPv6 address
  std::string port_;
  std::string path_; // prefix of all paths; does not end in `/`
  std::string authority_;
  std::string token_;
};

/// Returns the text as a part of a URL.
std::string url_part(const std::string& text);

} // namespace poolctl

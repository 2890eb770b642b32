#pragma once

#include <string>

namespace poolctl {

/// A live view.
struct server {
  std::string address; ///< `http://host:port/path`; only the host is required
  std::string token;   ///< empty: none
};

/// Sends a request, such as `GET`, for the target; returns the answer.
///
/// Errors: std::invalid_argument, a sentence with the address;
///         std::runtime_error, a sentence that names the server: it is not
///         reached, does not answer in time, or refuses the request.
std::string ask(const server& server, const std::string& method,
                const std::string& target);

/// Returns the text as a part of a URL.
std::string url_part(const std::string& text);

/// What to do if an answer is not that of a live view.
constexpr const char* check_server =
  "; check that it is a live view of libpool";

} // namespace poolctl

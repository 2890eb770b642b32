#pragma once

#include "live_page/live_page.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <system_error>

namespace live_page {

/// Returns the port in the value of `--live`; 0 for "any".
inline std::uint16_t port_in(const std::string& text) {
  std::uint16_t result = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  if (text != "any" && (read.ec != std::errc{} || read.ptr != end))
    throw CLI::ValidationError("the port must be between 0 and 65535, got '"
                               + text + "'");
  return result;
}

/// Adds `--live[=PORT]` to the options, where the program can show a page. The
/// option is a flag, so that it does not take a path for the port: "any" stands
/// for a flag without a value.
inline void describe(CLI::App& app, wanted& out) {
  if (is_built)
    app
      .add_flag("--live{any}", "Show the pool on a web page while the program "
                               "runs; --live=PORT chooses the port")
      ->each([&out](const std::string& port) { out = port_in(port); });
}

} // namespace live_page

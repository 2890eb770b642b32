/// Numbers and times of pools as JSON.

#pragma once

#include "libpool/core/instant.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace libpool::live {

/// JSON type that keeps the order of fields.
using json = nlohmann::ordered_json;

constexpr double seconds_of(duration time) noexcept {
  return static_cast<double>(time.count()) / 1e9;
}

constexpr double milliseconds_of(duration time) noexcept {
  return static_cast<double>(time.count()) / 1e6;
}

/// Returns the time since `begun` in seconds; null if it is unknown.
inline json seconds_since(instant begun, instant now) {
  if (begun == never || now == instant{})
    return nullptr;
  return begun < now ? seconds_of(now - begun) : 0.0;
}

/// Returns the time since `begun` in milliseconds; null if it is unknown.
inline json milliseconds_since(instant begun, instant now) {
  auto seconds = seconds_since(begun, now);
  return seconds.is_null() ? seconds : json(seconds.get<double>() * 1e3);
}

/// Returns the value as a text. Bytes that are not UTF-8 are replaced.
inline std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace libpool::live

#pragma once

#include "libpool/actors/error.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>

#include <cstdint>

namespace test {

// The names that CAF has for the types of elements.
constexpr auto int_type = "int32_t";
constexpr auto string_type = "std::string";
constexpr auto ints_type = "std::vector<int>";

/// An error of libpool's as another node may send it: without words.
inline caf::error error_from_elsewhere(std::uint8_t code) {
  return {static_cast<libpool::errc>(code), caf::message{}};
}

} // namespace test

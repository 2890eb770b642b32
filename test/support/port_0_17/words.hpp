#pragma once

#include "libpool/actors/error.hpp"

#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

#include <cstdint>

namespace test {

// The names that CAF has for the types of elements.
constexpr auto int_type = "i32";
constexpr auto string_type = "str";
constexpr auto ints_type = "std::vector<int, std::allocator<int> >";

/// An error of libpool's as another node may send it: without words.
inline caf::error error_from_elsewhere(std::uint8_t code) {
  return {code, caf::atom("libpool"), caf::message{}};
}

} // namespace test

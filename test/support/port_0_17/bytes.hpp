#pragma once

#include "libpool/actors/caf/port/content_reader.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>
#include <caf/none.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Writes the message to bytes and reads these; returns whether that worked.
inline bool read_back(caf::actor_system& system, const caf::message& message,
                      caf::message& result) {
  std::vector<char> bytes;
  caf::binary_serializer out{system, bytes};
  if (out(message) != caf::none)
    return false;
  caf::binary_deserializer in{system, bytes};
  return in(result) == caf::none;
}

/// The message as CAF writes it by itself.
inline std::string written_by_caf(caf::actor_system& system,
                                  const caf::message& message) {
  std::vector<char> bytes;
  caf::binary_serializer out{system, bytes};
  return out(message) == caf::none ? std::string{bytes.begin(), bytes.end()}
                                   : std::string{};
}

/// A message with an element of a type that nobody knows.
inline std::string bytes_of_unknown_type() {
  using namespace std::string_literals;
  return "\0\0\x0f@<>+test::alien"s;
}

/// Whether a list can be in the bytes, by what they begin with: its size.
inline bool reads_size(caf::actor_system& system, std::string_view bytes) {
  libpool::place_without_handles where{system};
  libpool::content_reader in{where, bytes, {}};
  std::size_t size = 0;
  return in.begin_sequence(size) == caf::none;
}

} // namespace test

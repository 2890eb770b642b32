#pragma once

#include "libpool/actors/caf/port/content_reader.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace test {

/// Writes the message to bytes and reads these; returns whether that worked.
inline bool read_back(caf::actor_system& system, const caf::message& message,
                      caf::message& result) {
  caf::byte_buffer bytes;
  caf::binary_serializer out{system, bytes};
  if (!out.apply(message))
    return false;
  caf::binary_deserializer in{system, bytes};
  return in.apply(result);
}

/// The message as CAF writes it by itself.
inline std::string written_by_caf(caf::actor_system& system,
                                  const caf::message& message) {
  caf::byte_buffer bytes;
  caf::binary_serializer out{system, bytes};
  if (!out.apply(message))
    return {};
  std::string result;
  for (auto each : bytes)
    result.push_back(static_cast<char>(each));
  return result;
}

/// A message with an element of a type that nobody knows.
inline std::string bytes_of_unknown_type() {
  return "\x01\xff\xf0";
}

/// Whether a list can be in the bytes, by what they begin with: its size.
inline bool reads_size(caf::actor_system& system, std::string_view bytes) {
  libpool::content_reader in{system, bytes};
  std::size_t size = 0;
  return in.begin_sequence(size);
}

} // namespace test

#pragma once

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/message.hpp>

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

} // namespace test

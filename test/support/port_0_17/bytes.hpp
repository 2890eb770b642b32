#pragma once

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>
#include <caf/none.hpp>

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

} // namespace test

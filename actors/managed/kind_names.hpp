#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace libpool {

/// Names of the types of messages, made once for each kind.
///
/// Cost: O(elements of the message).
class kind_names {
public:
  /// Returns a text such as "int32_t, std::string". The reference stays valid.
  const std::string& name_of(const message_content& content);

private:
  std::unordered_map<std::uint64_t, std::string> names_; // by the types' hash
  std::uint64_t last_ = 0;                 // hash of the last types, and
  const std::string* last_name_ = nullptr; // their names
};

} // namespace libpool

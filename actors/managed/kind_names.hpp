#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace libpool {

/// The names of the types that messages have, made once for each kind.
///
/// Cost: O(elements of the message).
class kind_names {
public:
  /// Such as "int32_t, std::string". Stays where it is.
  const std::string& name_of(const message_content& content);

private:
  std::unordered_map<std::uint64_t, std::string> names_; // by the types' hash
};

} // namespace libpool

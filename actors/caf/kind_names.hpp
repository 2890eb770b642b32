#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace libpool {

/// Names of the kinds of messages, made once for each kind.
///
/// Cost: O(elements of the message).
class kind_names {
public:
  /// Returns a text such as "int32_t, std::string". The reference stays valid.
  const std::string& name_of(const message_content& content);

  /// Returns the number as a text, for the result of `kind_of`; "(others)" if
  /// 1,024 other numbers have texts. The reference stays valid.
  const std::string& name_of(std::uint64_t kind);

private:
  std::unordered_map<std::uint64_t, std::string> names_; // by the types' hash
  std::unordered_map<std::uint64_t, std::string> numbers_;
  const std::string others_ = "(others)";
  std::uint64_t last_ = 0;                 // hash of the last types, and
  const std::string* last_name_ = nullptr; // their names
};

} // namespace libpool

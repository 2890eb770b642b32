#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/rtti_pair.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

namespace libpool::detail {

/// The type of an element of a message.
using message_type = caf::rtti_pair;

template <class T>
message_type message_type_of() {
  return caf::make_rtti_pair<T>();
}

inline message_type message_type_at(const message_content& content,
                                    std::size_t i) {
  return content.type(i);
}

/// The same for equal types, and as good as random.
inline std::uint64_t hash_of(message_type type) noexcept {
  return type.second != nullptr ? type.second->hash_code() : type.first;
}

std::string name_of(message_type type);

} // namespace libpool::detail

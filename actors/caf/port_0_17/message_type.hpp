#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/export.hpp"

#include <caf/rtti_pair.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

namespace libpool::detail {

/// Type of an element of a message.
using message_type = caf::rtti_pair;

template <class T>
message_type message_type_of() {
  return caf::make_rtti_pair<T>();
}

inline message_type message_type_at(const message_content& content,
                                    std::size_t i) {
  return content.type(i);
}

/// Returns a hash of the type. Equal types have equal hashes.
inline std::uint64_t hash_of(message_type type) noexcept {
  return type.second != nullptr ? type.second->hash_code() : type.first;
}

LIBPOOL_EXPORT std::string name_of(message_type type);

} // namespace libpool::detail

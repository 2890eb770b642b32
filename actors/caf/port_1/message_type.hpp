#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/export.hpp"

#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace libpool::detail {

/// Type of an element of a message.
using message_type = caf::type_id_t;

template <class T>
message_type message_type_of() {
  return caf::type_id_v<T>;
}

inline message_type message_type_at(const message_content& content,
                                    std::size_t i) {
  return content.type_at(i);
}

/// Returns a hash of the type. Equal types have equal hashes.
inline std::uint64_t hash_of(message_type type) noexcept {
  return type;
}

LIBPOOL_EXPORT std::string name_of(message_type type);

} // namespace libpool::detail

#include "libpool/actors/caf/port/message_type.hpp"

namespace libpool::detail {

std::string name_of(message_type type) {
  return std::string{caf::query_type_name(type)};
}

} // namespace libpool::detail

#include "libpool/actors/caf/port/message_type.hpp"

#include <caf/type_nr.hpp>

#include <boost/core/demangle.hpp>

namespace libpool::detail {

/// CAF knows some types by number only.
std::string name_of(message_type type) {
  if (type.second != nullptr)
    return boost::core::demangle(type.second->name());
  std::string name = caf::numbered_type_names[type.first - 1];
  return name.substr(name.front() == '@' ? 1 : 0);
}

} // namespace libpool::detail

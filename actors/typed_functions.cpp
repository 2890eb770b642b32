#include "libpool/actors/typed_functions.hpp"

#include <caf/type_nr.hpp>

#include <boost/core/demangle.hpp>

#include <string>

namespace libpool::detail {

namespace {

/// CAF knows some types by number only.
std::string type_name(caf::rtti_pair type) {
  if (type.second != nullptr)
    return boost::core::demangle(type.second->name());
  std::string name = caf::numbered_type_names[type.first - 1];
  return name.substr(name.front() == '@' ? 1 : 0);
}

} // namespace

void throw_mismatch(const char* function, caf::rtti_pair takes,
                    const char* noun, const caf::message& given) {
  std::string types;
  for (std::size_t i = 0; i < given.size(); ++i)
    types += (i == 0 ? "" : ", ") + type_name(given.type(i));
  throw user_function_failed{function + (" takes " + type_name(takes))
                             + ", but " + noun + " is (" + types + ')'};
}

} // namespace libpool::detail

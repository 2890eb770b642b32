#include "libpool/actors/typed_functions.hpp"

#include <string>

namespace libpool::detail {

void throw_mismatch(const char* function, message_type takes, const char* noun,
                    const caf::message& given) {
  throw_mismatch(function, name_of(takes), noun, given);
}

void throw_mismatch(const char* function, const std::string& takes,
                    const char* noun, const caf::message& given) {
  std::string types;
  for (std::size_t i = 0; i < given.size(); ++i)
    types += (i == 0 ? "" : ", ") + name_of(message_type_at(given, i));
  throw user_function_failed{function + (" takes " + takes) + ", but " + noun
                             + " is (" + types + ')'};
}

} // namespace libpool::detail

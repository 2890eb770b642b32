#include "libpool/actors/caf/kind_names.hpp"

#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/core/splitmix64.hpp"

#include <cstddef>

namespace libpool {

namespace {

std::string names_in(const message_content& content) {
  std::string result;
  for (std::size_t i = 0; i < content.size(); ++i) {
    result += i > 0 ? ", " : "";
    result += detail::name_of(detail::message_type_at(content, i));
  }
  return result;
}

} // namespace

const std::string& kind_names::name_of(const message_content& content) {
  std::uint64_t types = content.size();
  for (std::size_t i = 0; i < content.size(); ++i)
    types = splitmix64::mixed(
      types ^ detail::hash_of(detail::message_type_at(content, i)));
  if (last_name_ != nullptr && types == last_)
    return *last_name_;
  auto i = names_.find(types);
  if (i == names_.end())
    i = names_.emplace(types, names_in(content)).first;
  last_ = types;
  last_name_ = &i->second;
  return i->second;
}

const std::string& kind_names::name_of(std::uint64_t kind) {
  constexpr std::size_t most = 1'024;
  auto i = numbers_.find(kind);
  if (i == numbers_.end() && numbers_.size() == most)
    return others_;
  if (i == numbers_.end())
    i = numbers_.emplace(kind, std::to_string(kind)).first;
  return i->second;
}

} // namespace libpool

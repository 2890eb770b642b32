#include "libpool/actors/caf/port/content_reader.hpp"

#include <caf/none.hpp>
#include <caf/sec.hpp>

#include <sstream>

namespace libpool {

caf::strong_actor_ptr place_without_handles::make_proxy(caf::node_id,
                                                        caf::actor_id id) {
  has_met_handle_ = has_met_handle_ || id != caf::invalid_actor_id;
  return nullptr;
}

content_reader::content_reader(caf::execution_unit& where,
                               std::string_view bytes,
                               std::string_view own_node)
  : caf::deserializer(&where),
    bytes_(bytes),
    own_node_(own_node),
    in_(&where, bytes.data(), bytes.size()) {
  // nop
}

// -- objects and lists --------------------------------------------------------

/// Messages are the only objects. CAF does not end those that are empty.
caf::error content_reader::begin_object(std::uint16_t& number,
                                        std::string& name) {
  ++open_messages_;
  if (auto error = apply(number))
    return error;
  if (number != 0)
    return caf::sec::unknown_type;
  if (auto error = apply(name))
    return error;
  if (name == "@<>")
    --open_messages_;
  return caf::none;
}

caf::error content_reader::end_object() {
  --open_messages_;
  return caf::none;
}

/// CAF makes room for as many elements as the size says. Only bits are smaller
/// than a byte.
caf::error content_reader::begin_sequence(std::size_t& size) {
  std::uint64_t result = 0;
  std::uint8_t next = 0x80;
  for (auto shift = 0U; shift < 35 && next >= 0x80; shift += 7) {
    if (auto error = apply_impl(next))
      return error;
    result |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
  }
  if (next >= 0x80 || result / 8 > left())
    return caf::sec::end_of_stream;
  size = static_cast<std::size_t>(result);
  return caf::none;
}

caf::error content_reader::end_sequence() {
  return caf::none;
}

// -- values -------------------------------------------------------------------

/// All that is nested comes to values at last.
template <class T>
caf::error content_reader::of_fixed_size(T& x) {
  if (!stack_.is_sensible())
    return caf::sec::runtime_error;
  if (auto error = in_.apply(x))
    return error;
  return unless_own_node();
}

caf::error content_reader::unless_own_node() {
  auto read = bytes_.size() - left();
  if (own_node_.empty() || read < own_node_.size()
      || bytes_.compare(read - own_node_.size(), own_node_.size(), own_node_)
           != 0)
    return caf::none;
  has_met_own_node_ = true;
  return caf::sec::runtime_error;
}

/// `unit`: of the text, as it was written.
template <class Text, class Unit>
caf::error content_reader::text(Text& x, Unit unit) {
  std::size_t size = 0;
  if (auto error = begin_sequence(size))
    return error;
  if (size > left() / sizeof(unit))
    return caf::sec::end_of_stream;
  x.clear();
  x.reserve(size);
  while (x.size() < size) {
    if (auto error = apply_impl(unit))
      return error;
    x.push_back(static_cast<typename Text::value_type>(unit));
  }
  return caf::none;
}

caf::error content_reader::apply_raw(std::size_t size, void* data) {
  if (!stack_.is_sensible())
    return caf::sec::runtime_error;
  if (auto error = in_.apply_raw(size, data))
    return error;
  return unless_own_node();
}

caf::error content_reader::apply_impl(std::int8_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::uint8_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::int16_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::uint16_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::int32_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::uint32_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::int64_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(std::uint64_t& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(float& x) {
  return of_fixed_size(x);
}

caf::error content_reader::apply_impl(double& x) {
  return of_fixed_size(x);
}

/// Reads a decimal text, as CAF writes it.
caf::error content_reader::apply_impl(long double& x) {
  std::string digits;
  if (auto error = apply_impl(digits))
    return error;
  std::istringstream{digits} >> x;
  return caf::none;
}

caf::error content_reader::apply_impl(std::string& x) {
  std::size_t size = 0;
  if (auto error = begin_sequence(size))
    return error;
  if (size > left())
    return caf::sec::end_of_stream;
  x.resize(size);
  return apply_raw(size, x.data());
}

caf::error content_reader::apply_impl(std::u16string& x) {
  return text(x, std::uint16_t{0});
}

caf::error content_reader::apply_impl(std::u32string& x) {
  return text(x, std::uint32_t{0});
}

} // namespace libpool

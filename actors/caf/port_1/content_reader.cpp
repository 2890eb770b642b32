#include "libpool/actors/caf/port/content_reader.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/sec.hpp>

#include <sstream>

namespace libpool {

content_reader::content_reader(caf::actor_system& system,
                               std::string_view bytes)
  : caf::deserializer(system), in_(system, bytes.data(), bytes.size()) {
  // nop
}

bool content_reader::refuse(const char* why) {
  emplace_error(caf::sec::invalid_argument, why);
  return false;
}

bool content_reader::unless_failed(bool is_read) {
  if (!is_read)
    set_error(in_.get_error());
  return is_read;
}

// -- objects and lists --------------------------------------------------------

bool content_reader::fetch_next_object_type(caf::type_id_t& type) {
  return unless_failed(in_.fetch_next_object_type(type));
}

/// Handles of all kinds are such objects, and begin with the id of the actor.
bool content_reader::begin_object(caf::type_id_t type, std::string_view name) {
  is_at_handle_ = type == caf::type_id_v<caf::strong_actor_ptr>;
  return in_.begin_object(type, name);
}

bool content_reader::end_object() {
  return in_.end_object();
}

bool content_reader::begin_field(std::string_view name) {
  return in_.begin_field(name);
}

bool content_reader::begin_field(std::string_view name, bool& is_present) {
  return unless_failed(in_.begin_field(name, is_present));
}

bool content_reader::begin_field(std::string_view name, types all,
                                 std::size_t& index) {
  return unless_failed(in_.begin_field(name, all, index));
}

bool content_reader::begin_field(std::string_view name, bool& is_present,
                                 types all, std::size_t& index) {
  return unless_failed(in_.begin_field(name, is_present, all, index));
}

bool content_reader::end_field() {
  return in_.end_field();
}

bool content_reader::begin_tuple(std::size_t size) {
  return in_.begin_tuple(size);
}

bool content_reader::end_tuple() {
  return in_.end_tuple();
}

/// CAF makes as many elements as the size says, even if each is nothing.
bool content_reader::begin_sequence(std::size_t& size) {
  std::uint64_t result = 0;
  std::uint8_t next = 0x80;
  for (auto shift = 0U; shift < 35 && next >= 0x80; shift += 7) {
    if (!value(next))
      return false;
    result |= static_cast<std::uint64_t>(next & 0x7fU) << shift;
  }
  if (next >= 0x80 || result > left())
    return refuse("a list is longer than the remaining bytes");
  size = static_cast<std::size_t>(result);
  return true;
}

bool content_reader::end_sequence() {
  return in_.end_sequence();
}

// -- values -------------------------------------------------------------------

/// All that is nested comes to values at last.
template <class T>
bool content_reader::of_fixed_size(T& x) {
  if (!stack_.is_sensible())
    return refuse("values are nested too deeply");
  return unless_failed(in_.value(x));
}

/// `unit`: of the text, as it was written.
template <class Text, class Unit>
bool content_reader::text(Text& x, Unit unit) {
  std::size_t size = 0;
  if (!begin_sequence(size))
    return false;
  if (size > left() / sizeof(unit))
    return refuse("a text is longer than the remaining bytes");
  x.clear();
  x.reserve(size);
  while (x.size() < size) {
    if (!value(unit))
      return false;
    x.push_back(static_cast<typename Text::value_type>(unit));
  }
  return true;
}

/// An id, perhaps: that of a null handle is 0.
bool content_reader::value(std::uint64_t& x) {
  if (!of_fixed_size(x))
    return false;
  has_met_handle_ = has_met_handle_ || (is_at_handle_ && x != 0);
  is_at_handle_ = false;
  return !has_met_handle_
         || refuse("the content contains a handle of an actor");
}

/// Reads a decimal text, as CAF writes it.
bool content_reader::value(long double& x) {
  std::string digits;
  if (!value(digits))
    return false;
  std::istringstream in{digits};
  return in >> x || refuse("the digits of a number are malformed");
}

bool content_reader::value(std::string& x) {
  std::size_t size = 0;
  if (!begin_sequence(size))
    return false;
  x.resize(size);
  return value(caf::as_writable_bytes(caf::make_span(x)));
}

bool content_reader::value(std::u16string& x) {
  return text(x, std::uint16_t{0});
}

bool content_reader::value(std::u32string& x) {
  return text(x, std::uint32_t{0});
}

bool content_reader::value(caf::span<std::byte> x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::byte& x) {
  return of_fixed_size(x);
}

bool content_reader::value(bool& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::int8_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::uint8_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::int16_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::uint16_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::int32_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::uint32_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(std::int64_t& x) {
  return of_fixed_size(x);
}

bool content_reader::value(float& x) {
  return of_fixed_size(x);
}

bool content_reader::value(double& x) {
  return of_fixed_size(x);
}

} // namespace libpool

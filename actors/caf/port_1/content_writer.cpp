#include "libpool/actors/caf/port/content_writer.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/sec.hpp>

namespace libpool {

content_writer::content_writer(caf::actor_system& system)
  : caf::serializer(system), out_(system, bytes_) {
  // nop
}

std::string content_writer::bytes() const {
  std::string result(bytes_.size(), '\0');
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    result[i] = static_cast<char>(bytes_[i]);
  return result;
}

// -- objects and lists --------------------------------------------------------

/// Handles of all kinds are such objects, and begin with the id of the actor.
bool content_writer::begin_object(caf::type_id_t type, std::string_view name) {
  is_at_handle_ = type == caf::type_id_v<caf::strong_actor_ptr>;
  return out_.begin_object(type, name);
}

bool content_writer::end_object() {
  return out_.end_object();
}

bool content_writer::begin_field(std::string_view name) {
  return out_.begin_field(name);
}

bool content_writer::begin_field(std::string_view name, bool is_present) {
  return out_.begin_field(name, is_present);
}

bool content_writer::begin_field(std::string_view name, types all,
                                 std::size_t index) {
  return out_.begin_field(name, all, index);
}

bool content_writer::begin_field(std::string_view name, bool is_present,
                                 types all, std::size_t index) {
  return out_.begin_field(name, is_present, all, index);
}

bool content_writer::end_field() {
  return out_.end_field();
}

bool content_writer::begin_tuple(std::size_t size) {
  return out_.begin_tuple(size);
}

bool content_writer::end_tuple() {
  return out_.end_tuple();
}

bool content_writer::begin_sequence(std::size_t size) {
  return out_.begin_sequence(size);
}

bool content_writer::end_sequence() {
  return out_.end_sequence();
}

// -- values -------------------------------------------------------------------

/// An id, perhaps: that of a null handle is 0.
bool content_writer::value(std::uint64_t x) {
  has_met_handle_ = has_met_handle_ || (is_at_handle_ && x != 0);
  is_at_handle_ = false;
  if (!has_met_handle_)
    return out_.value(x);
  emplace_error(caf::sec::unsafe_type);
  return false;
}

bool content_writer::value(std::byte x) {
  return out_.value(x);
}

bool content_writer::value(bool x) {
  return out_.value(x);
}

bool content_writer::value(std::int8_t x) {
  return out_.value(x);
}

bool content_writer::value(std::uint8_t x) {
  return out_.value(x);
}

bool content_writer::value(std::int16_t x) {
  return out_.value(x);
}

bool content_writer::value(std::uint16_t x) {
  return out_.value(x);
}

bool content_writer::value(std::int32_t x) {
  return out_.value(x);
}

bool content_writer::value(std::uint32_t x) {
  return out_.value(x);
}

bool content_writer::value(std::int64_t x) {
  return out_.value(x);
}

bool content_writer::value(float x) {
  return out_.value(x);
}

bool content_writer::value(double x) {
  return out_.value(x);
}

bool content_writer::value(long double x) {
  return out_.value(x);
}

bool content_writer::value(std::string_view x) {
  return out_.value(x);
}

bool content_writer::value(const std::u16string& x) {
  return out_.value(x);
}

bool content_writer::value(const std::u32string& x) {
  return out_.value(x);
}

bool content_writer::value(caf::span<const std::byte> x) {
  return out_.value(x);
}

} // namespace libpool

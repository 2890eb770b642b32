#pragma once

#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

/// Serializer that writes the format of `caf::binary_serializer`. Writing stops
/// at a handle of an actor, because CAF would register the actor.
class content_writer final : public caf::serializer {
public:
  explicit content_writer(caf::actor_system& system);

  /// Whether the content has a handle other than a null handle.
  bool has_met_handle() const noexcept {
    return has_met_handle_;
  }

  std::string bytes() const;

  using types = caf::span<const caf::type_id_t>;

  bool begin_object(caf::type_id_t type, std::string_view name) override;
  bool end_object() override;
  bool begin_field(std::string_view name) override;
  bool begin_field(std::string_view name, bool is_present) override;
  bool begin_field(std::string_view name, types all,
                   std::size_t index) override;
  bool begin_field(std::string_view name, bool is_present, types all,
                   std::size_t index) override;
  bool end_field() override;
  bool begin_tuple(std::size_t size) override;
  bool end_tuple() override;
  bool begin_sequence(std::size_t size) override;
  bool end_sequence() override;
  bool value(std::byte x) override;
  bool value(bool x) override;
  bool value(std::int8_t x) override;
  bool value(std::uint8_t x) override;
  bool value(std::int16_t x) override;
  bool value(std::uint16_t x) override;
  bool value(std::int32_t x) override;
  bool value(std::uint32_t x) override;
  bool value(std::int64_t x) override;
  bool value(std::uint64_t x) override;
  bool value(float x) override;
  bool value(double x) override;
  bool value(long double x) override;
  bool value(std::string_view x) override;
  bool value(const std::u16string& x) override;
  bool value(const std::u32string& x) override;
  bool value(caf::span<const std::byte> x) override;

private:
  caf::byte_buffer bytes_;
  caf::binary_serializer out_;
  bool is_at_handle_ = false; // the id of the actor is next
  bool has_met_handle_ = false;
};

} // namespace libpool

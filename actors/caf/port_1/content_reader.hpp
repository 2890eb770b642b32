#pragma once

#include "libpool/actors/caf/stack_use.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/deserializer.hpp>
#include <caf/proxy_registry.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace libpool {

/// Guard that lets the current thread read null handles of actors while this
/// object exists. CAF looks up a null handle like the handle of an actor of
/// another node. Other handles are never read, see `content_reader`.
class null_handles final : private caf::proxy_registry::backend {
public:
  explicit null_handles(caf::actor_system& system)
    : actors_(system, *this), former_(caf::proxy_registry::current()) {
    caf::proxy_registry::current(&actors_);
  }

  null_handles(const null_handles&) = delete;
  null_handles& operator=(const null_handles&) = delete;

  ~null_handles() override {
    caf::proxy_registry::current(former_);
  }

private:
  caf::strong_actor_ptr make_proxy(caf::node_id, caf::actor_id) override {
    return nullptr;
  }

  void set_last_hop(caf::node_id*) override {
    // nop
  }

  caf::proxy_registry actors_;
  caf::proxy_registry* former_;
};

/// Deserializer that reads the format of `caf::binary_deserializer`. Handles of
/// actors are rejected. Sizes and depths are checked before they are used.
class content_reader final : public caf::deserializer {
public:
  content_reader(caf::actor_system& system, std::string_view bytes);

  std::size_t left() const noexcept {
    return in_.remaining();
  }

  /// Whether a handle other than a null handle was found.
  bool has_met_handle() const noexcept {
    return has_met_handle_;
  }

  using types = caf::span<const caf::type_id_t>;

  bool fetch_next_object_type(caf::type_id_t& type) override;
  bool begin_object(caf::type_id_t type, std::string_view name) override;
  bool end_object() override;
  bool begin_field(std::string_view name) override;
  bool begin_field(std::string_view name, bool& is_present) override;
  bool begin_field(std::string_view name, types all,
                   std::size_t& index) override;
  bool begin_field(std::string_view name, bool& is_present, types all,
                   std::size_t& index) override;
  bool end_field() override;
  bool begin_tuple(std::size_t size) override;
  bool end_tuple() override;
  bool begin_sequence(std::size_t& size) override;
  bool end_sequence() override;
  bool value(std::byte& x) override;
  bool value(bool& x) override;
  bool value(std::int8_t& x) override;
  bool value(std::uint8_t& x) override;
  bool value(std::int16_t& x) override;
  bool value(std::uint16_t& x) override;
  bool value(std::int32_t& x) override;
  bool value(std::uint32_t& x) override;
  bool value(std::int64_t& x) override;
  bool value(std::uint64_t& x) override;
  bool value(float& x) override;
  bool value(double& x) override;
  bool value(long double& x) override;
  bool value(std::string& x) override;
  bool value(std::u16string& x) override;
  bool value(std::u32string& x) override;
  bool value(caf::span<std::byte> x) override;

private:
  bool refuse(const char* why);
  bool unless_failed(bool is_read);

  template <class T>
  bool of_fixed_size(T& x);

  template <class Text, class Unit>
  bool text(Text& x, Unit unit);

  stack_use stack_;
  caf::binary_deserializer in_;
  bool is_at_handle_ = false; // the id of the actor is next
  bool has_met_handle_ = false;
};

} // namespace libpool

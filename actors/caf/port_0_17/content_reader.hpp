#pragma once

#include "libpool/actors/caf/stack_use.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/proxy_registry.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace libpool {

/// Execution unit for reading contents: handles of actors become null handles.
class place_without_handles final : public caf::scoped_execution_unit,
                                    private caf::proxy_registry::backend {
public:
  explicit place_without_handles(caf::actor_system& system)
    : caf::scoped_execution_unit(&system), actors_(system, *this) {
    proxy_registry_ptr(&actors_);
  }

  /// Whether a handle other than a null handle was read.
  bool has_met_handle() const noexcept {
    return has_met_handle_;
  }

private:
  caf::strong_actor_ptr make_proxy(caf::node_id node,
                                   caf::actor_id id) override;

  void set_last_hop(caf::node_id*) override {
    // nop
  }

  caf::proxy_registry actors_;
  bool has_met_handle_ = false;
};

/// Deserializer that reads the format of `caf::binary_deserializer`. Sizes and
/// depths are checked before they are used. Reading stops after the id of the
/// own node, with which a handle ends, because CAF would look up the actor of
/// the handle in its registry.
class content_reader final : public caf::deserializer {
public:
  /// Makes a reader of `bytes`. `own_node` is the result of `node_bytes`.
  content_reader(caf::execution_unit& where, std::string_view bytes,
                 std::string_view own_node);

  std::size_t left() const noexcept {
    return in_.remaining();
  }

  /// Whether the reader has stopped at the id of the own node.
  bool has_met_own_node() const noexcept {
    return has_met_own_node_;
  }

  /// Whether all messages were read to their ends. If an inner message cannot
  /// be read, CAF continues with the outer message.
  bool has_ended_all() const noexcept {
    return open_messages_ == 0;
  }

  caf::error begin_object(std::uint16_t& number, std::string& name) override;
  caf::error end_object() override;
  caf::error begin_sequence(std::size_t& size) override;
  caf::error end_sequence() override;
  caf::error apply_raw(std::size_t size, void* data) override;

private:
  caf::error apply_impl(std::int8_t& x) override;
  caf::error apply_impl(std::uint8_t& x) override;
  caf::error apply_impl(std::int16_t& x) override;
  caf::error apply_impl(std::uint16_t& x) override;
  caf::error apply_impl(std::int32_t& x) override;
  caf::error apply_impl(std::uint32_t& x) override;
  caf::error apply_impl(std::int64_t& x) override;
  caf::error apply_impl(std::uint64_t& x) override;
  caf::error apply_impl(float& x) override;
  caf::error apply_impl(double& x) override;
  caf::error apply_impl(long double& x) override;
  caf::error apply_impl(std::string& x) override;
  caf::error apply_impl(std::u16string& x) override;
  caf::error apply_impl(std::u32string& x) override;

  template <class T>
  caf::error of_fixed_size(T& x);

  template <class Text, class Unit>
  caf::error text(Text& x, Unit unit);

  caf::error unless_own_node();

  stack_use stack_;
  const std::string_view bytes_;
  const std::string_view own_node_;
  caf::binary_deserializer in_;
  bool has_met_own_node_ = false;
  std::size_t open_messages_ = 0;
};

} // namespace libpool

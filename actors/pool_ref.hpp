#pragma once

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/fwd.hpp>

#include <utility>

namespace libpool {

/// Handle of a pool, with or without types, as an argument of functions that
/// query or change pools. Made by conversion from either.
///
/// Cost: one count of references.
class pool_ref {
public:
  /// Makes a reference to the pool behind `handle`.
  pool_ref(caf::actor handle) : handle_(std::move(handle)) {
    // nop
  }

  /// Makes a reference to the pool behind the typed handle `handle`.
  template <class... Signatures>
  pool_ref(const caf::typed_actor<Signatures...>& handle)
    : handle_(caf::actor_cast<caf::actor>(handle)) {
    // nop
  }

  /// Returns the handle without types.
  const caf::actor& handle() const noexcept {
    return handle_;
  }

private:
  caf::actor handle_;
};

} // namespace libpool

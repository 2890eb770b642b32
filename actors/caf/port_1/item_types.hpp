#pragma once

#include "libpool/actors/signature.hpp"

#include <caf/fwd.hpp>
#include <caf/result.hpp>

namespace libpool::detail {

template <class Signatures>
struct items_of {
  using in = deduced;
  using out = deduced;
};

template <class In, class Out>
struct items_of<caf::type_list<caf::result<Out>(In)>> {
  using in = In;
  using out = Out;
};

/// What the actor behind a typed handle takes and gives; `deduced` unless it
/// has one signature, of one argument and one result.
template <class Handle>
struct only_signature : items_of<void> {};

/// CAF names signatures one by one, or by a class that has them.
template <class... Ts>
struct only_signature<caf::typed_actor<Ts...>>
  : items_of<typename caf::typed_actor<Ts...>::signatures> {};

} // namespace libpool::detail

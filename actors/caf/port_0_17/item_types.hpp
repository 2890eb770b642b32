#pragma once

#include "libpool/actors/signature.hpp"

#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>

namespace libpool::detail {

/// List of types, such as the signatures of a typed handle.
template <class... Ts>
using type_list = caf::detail::type_list<Ts...>;

/// Signature of typed actors that answer an `In` with an `Out`; void: with an
/// empty message.
template <class In, class Out>
using typed_signature =
  caf::typed_mpi<caf::detail::type_list<In>, caf::output_tuple<Out>>;

/// Types of the argument and of the result of an actor with a typed handle.
/// Both are `deduced` unless the actor has exactly one signature, with one
/// argument and one result.
template <class Handle>
struct only_signature {
  using in = deduced;
  using out = deduced;
};

template <class In, class Out>
struct only_signature<caf::typed_actor<
  caf::typed_mpi<caf::detail::type_list<In>, caf::output_tuple<Out>>>> {
  using in = In;
  using out = Out;
};

} // namespace libpool::detail

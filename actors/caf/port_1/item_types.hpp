#pragma once

#include "libpool/actors/signature.hpp"

#include <caf/fwd.hpp>
#include <caf/result.hpp>
#include <caf/type_list.hpp>

namespace libpool::detail {

/// List of types, such as the signatures of a typed handle.
template <class... Ts>
using type_list = caf::type_list<Ts...>;

/// Signature of typed actors that answer an `In` with an `Out`; void: with an
/// empty message.
template <class In, class Out>
using typed_signature = caf::result<Out>(In);

template <class Signatures>
struct signature_in {
  using in = deduced;
  using out = deduced;
};

template <class In, class Out>
struct signature_in<caf::type_list<caf::result<Out>(In)>> {
  using in = In;
  using out = Out;
};

/// Types of the argument and of the result of an actor with a typed handle.
/// Both are `deduced` unless the actor has exactly one signature, with one
/// argument and one result.
template <class Handle>
struct only_signature : signature_in<typename Handle::signatures> {};

} // namespace libpool::detail

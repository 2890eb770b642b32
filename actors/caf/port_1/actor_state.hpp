#pragma once

#include <caf/actor_from_state.hpp>

namespace libpool::detail {

/// Whether `T` is a description of an actor that is spawned from a state class.
template <class T>
inline constexpr bool is_state_of_actor = false;

template <class State>
inline constexpr bool is_state_of_actor<caf::actor_from_state_t<State>> = true;

} // namespace libpool::detail

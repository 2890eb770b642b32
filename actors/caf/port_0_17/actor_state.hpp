#pragma once

namespace libpool::detail {

/// Whether `T` describes how to spawn an actor from its state.
template <class T>
inline constexpr bool is_state_of_actor = false;

} // namespace libpool::detail

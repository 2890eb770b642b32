#pragma once

namespace libpool::detail {

/// Whether `T` says how to spawn an actor by its state.
template <class T>
inline constexpr bool is_state_of_actor = false;

} // namespace libpool::detail

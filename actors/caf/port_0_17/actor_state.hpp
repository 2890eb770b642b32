#pragma once

namespace libpool::detail {

/// Whether `T` is a description of an actor that is spawned from a state class.
template <class T>
inline constexpr bool is_state_of_actor = false;

} // namespace libpool::detail

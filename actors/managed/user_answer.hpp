#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/core/errc.hpp"

#include <functional>

namespace libpool {

/// Answer to a user that waits for a change of a pool. `why`: reason why the
/// change will not come; errc{}: the change has come.
using user_answer = std::function<void(errc why, execution_context* host)>;

} // namespace libpool

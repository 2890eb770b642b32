#pragma once

#include <caf/detail/shared_spinlock.hpp>

#include <tuple>

namespace port {

/// The locks that CAF brings for readers and writers.
using caf_locks = std::tuple<caf::detail::shared_spinlock>;

} // namespace port

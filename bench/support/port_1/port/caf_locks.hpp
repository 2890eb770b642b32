#pragma once

#include <tuple>

namespace port {

/// The locks that CAF brings for readers and writers: none any more.
using caf_locks = std::tuple<>;

} // namespace port

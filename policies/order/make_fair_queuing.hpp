#pragma once

#include "libpool/core/order.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"

#include <memory>

namespace libpool {

/// Makes the order of fair queuing for the mode `options.mode`: with one queue
/// for each flow, or with a fixed number of queues.
///
/// Errors: std::invalid_argument if an option is out of bounds.
LIBPOOL_EXPORT std::unique_ptr<order>
make_fair_queuing(const fair_queuing_options& options);

} // namespace libpool

#pragma once

#include "libpool/actors/caf/words.hpp"
#include "libpool/core/dispatcher.hpp"

#include <caf/error.hpp>

#include <string>

namespace libpool {

/// Returns why the pool cannot carry out the command `command` about flows;
/// empty if it can.
inline caf::error objection_to_flows(const dispatcher& dispatcher,
                                     const std::string& command) {
  if (dispatcher.may_throttle())
    return {};
  return invalid_argument(command
                          + ": the pool does not know the flows of its "
                            "messages: set managed_options::throttles or "
                            "throttled_by, or use fair_queuing");
}

} // namespace libpool

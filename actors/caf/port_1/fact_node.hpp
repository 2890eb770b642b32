#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Base class of all facts; has the link to the next fact.
using fact_node = caf::mailbox_element::node_type;

} // namespace libpool

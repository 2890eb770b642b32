#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Base of all facts, with the link to the next fact.
using fact_node = caf::mailbox_element::node_type;

} // namespace libpool

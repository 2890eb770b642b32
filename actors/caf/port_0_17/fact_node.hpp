#pragma once

#include <caf/mailbox_element.hpp>

namespace libpool {

/// Anything that can be a fact: it is linked to others through itself.
using fact_node = caf::mailbox_element;

} // namespace libpool

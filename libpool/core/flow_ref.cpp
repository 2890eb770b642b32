#include "libpool/core/flow_ref.hpp"

namespace libpool {

const flow_key flow_ref::no_flow;

} // namespace libpool

#include "support/protocol_model.hpp"

namespace test {

exploration explore(const protocol_setting& how) {
  return state_search<protocol_world, protocol_setting, protocol_step>{how}
    .run();
}

} // namespace test

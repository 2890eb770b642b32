#include "node.hpp"

#include "libpool/actors/set_up.hpp"
#include "port/configuring.hpp"

namespace farm {

node_config::node_config(std::size_t threads) {
  libpool::set_up(*this);
  port::set_threads(*this, threads);
  port::wait_when_idle(*this);
}

} // namespace farm

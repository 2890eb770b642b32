#include "simulation.hpp"

#include "machine.hpp"

namespace poolsim {

result simulate(const scenario& what, const run_listener& listener) {
  return machine{what, listener}.run();
}

} // namespace poolsim

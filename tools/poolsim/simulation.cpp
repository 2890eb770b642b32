#include "simulation.hpp"

#include "machine.hpp"

#include <utility>

namespace poolsim {

result simulate(const scenario& scenario, const run_listener& listener) {
  return machine{scenario, libpool::compose(scenario.how), listener}.run();
}

result simulate(const scenario& scenario, libpool::composition parts,
                const run_listener& listener) {
  auto with_window = scenario;
  with_window.window = scenario.window.value_or(1);
  return machine{with_window, std::move(parts), listener}.run();
}

} // namespace poolsim

#include "simulation.hpp"

#include "machine.hpp"

#include <utility>

namespace poolsim {

result simulate(const scenario& what, const run_listener& listener) {
  return machine{what, libpool::compose(what.how), listener}.run();
}

result simulate(const scenario& what, libpool::composition parts,
                const run_listener& listener) {
  auto with_window = what;
  with_window.window = what.window.value_or(1);
  return machine{with_window, std::move(parts), listener}.run();
}

} // namespace poolsim

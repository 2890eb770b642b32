/// Snippets of docs/guide.md that run the simulator.

#include "poolsim/reading.hpp"
#include "poolsim/simulation.hpp"

#include <cassert>

namespace write_your_own_placement {

libpool::composition few_warm_workers();
std::size_t workers_used(const poolsim::result&);

poolsim::result simulated(const std::string& scenario) {
  return
#include "guide/write_your_own_placement_6.snippet"
}

void fifth() {
#define CHECK assert
#include "guide/write_your_own_placement_5.snippet"
}

} // namespace write_your_own_placement

/// The snippet of the manual that runs the simulator.

#if __has_include("libpool/simulator/simulator.hpp")
#  include "guide/write_your_own_placement_5.headers"

namespace write_your_own_placement {

libpool::composition few_warm_workers();

void fifth() {
#  include "guide/write_your_own_placement_5.snippet"
}

} // namespace write_your_own_placement
#endif

/// The snippet of the manual that runs the simulator.

#if __has_include("libpool/simulator/simulator.hpp")
#  include "guide/test_it_on_a_virtual_clock_1.headers"

namespace write_your_own_placement {

libpool::composition few_warm_workers();

void fifth() {
#  include "guide/test_it_on_a_virtual_clock_1.snippet"
}

} // namespace write_your_own_placement
#endif

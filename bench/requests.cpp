/// The cost that a pool adds to requests. An event-based client keeps some of
/// them outstanding and waits for the answers. By hand, with `caf::actor_pool`,
/// and with ours. See also scatter and managed.

#include "support/client.hpp"
#include "support/comparison.hpp"
#include "support/stage.hpp"

#include <caf/all.hpp>

#include <utility>

namespace {

using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

class echo final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x; }};
  }
};

bench::actors make_echoes(caf::actor_system& system, int n) {
  bench::actors result;
  for (auto i = 0; i < n; ++i)
    result.push_back(system.spawn<echo>());
  return result;
}

} // namespace

int main(int argc, char** argv) {
  caf::actor_system_config cfg;
  libpool::set_up(cfg);
  caf::actor_system system{cfg};
  bench::stage four{system, make_echoes(system, 4)};
  auto contender = [&](bench::actors targets) {
    return bench::calling(system, {std::move(targets), 1, 64});
  };
  auto status = bench::compare(
    argc, argv,
    {{"64 outstanding requests, 4 workers",
      1,
      {{"plain", contender(four.workers())},
       {"caf", contender({four.caf(caf_pool::round_robin())})},
       {"libpool", contender({four.ours(our_pool::round_robin())})}}}});
  four.close();
  return status;
}

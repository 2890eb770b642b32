/// What does a pool add to requests? An event-based client keeps some of them
/// outstanding and waits for the answers: to single workers, and to all of them
/// with one joined result. By hand, with `caf::actor_pool`, and with ours.

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
  caf::actor_system system{cfg};
  bench::stage four{system, make_echoes(system, 4)};
  auto sum = [](int& to, caf::message& x) { to += x.get_as<int>(0); };
  auto one = [&](bench::actors targets) {
    return bench::calling(system, {std::move(targets), false, 64});
  };
  auto all = [&](bench::actors targets, bool to_each) {
    return bench::calling(system, {std::move(targets), to_each, 16});
  };
  auto status = bench::compare(
    argc, argv,
    {{"64 outstanding requests, 4 workers",
      1,
      {{"plain", one(four.workers())},
       {"caf", one({four.caf(caf_pool::round_robin())})},
       {"libpool", one({four.ours(our_pool::round_robin())})}}},
     {"scatter and gather over 4 workers, 16 outstanding",
      1,
      {{"by hand", all(four.workers(), true)},
       {"caf", all({four.caf(caf_pool::split_join<int>(sum))}, false)},
       {"libpool", all({four.ours(our_pool::split_join<int>(sum))}, false)}}}});
  four.close();
  return status;
}

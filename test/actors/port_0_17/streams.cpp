/// CAF's own streams.

#include "support/direct_world.hpp"

namespace streams_tests {

using libpool::actor_pool;

namespace {

/// Sends numbers up to `n` as a stream to `to`.
caf::behavior stream(caf::event_based_actor* self, int n,
                     const caf::actor& to) {
  self->make_source(
    to, [](int& next) { next = 0; },
    [n](int& next, caf::downstream<int>& out, std::size_t hint) {
      for (; hint > 0 && next < n; --hint)
        out.push(next++);
    },
    [n](const int& next) { return next == n; });
  return {[](caf::ok_atom) {}};
}

/// Takes streams.
caf::behavior drain(caf::event_based_actor* self,
                    const std::shared_ptr<std::vector<int>>& seen) {
  return {[=](const caf::stream<int>& in) {
    return self->make_sink(
      in, [](caf::unit_t&) {},
      [seen](caf::unit_t&, int x) { seen->push_back(x); });
  }};
}

} // namespace

TEST_CASE_FIXTURE(test::hand_cranked, "a stream of CAF passes a direct pool") {
  for (auto workers : {1U, 3U}) {
    CAPTURE(workers);
    auto got = std::make_shared<std::vector<int>>();
    auto pool = actor_pool::make(
      system(), workers, [&] { return system().spawn(drain, got); },
      actor_pool::round_robin());
    for (auto i = 0; i < 3; ++i)
      system().spawn(stream, 200, pool);
    for (auto i = 0; i < 50; ++i)
      advance(std::chrono::milliseconds{50});
    std::sort(got->begin(), got->end());
    REQUIRE(got->size() == 600);
    for (std::size_t i = 0; i < got->size(); ++i)
      CHECK((*got)[i] == static_cast<int>(i / 3));
    stop(pool);
  }
}

} // namespace streams_tests

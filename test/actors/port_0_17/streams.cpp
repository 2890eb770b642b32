/// CAF's own streams.

#include "libpool/pool.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace streams_tests {

using libpool::actor_pool;

namespace {

/// Sends numbers up to `n` as a stream to `to`.
class streamer : public caf::event_based_actor {
public:
  streamer(caf::actor_config& cfg, int n, caf::actor to)
    : caf::event_based_actor(cfg), n_(n), to_(std::move(to)) {
    // nop
  }

  caf::behavior make_behavior() override {
    make_source(
      to_, [](int& next) { next = 0; },
      [n = n_](int& next, caf::downstream<int>& out, std::size_t hint) {
        for (; hint > 0 && next < n; --hint)
          out.push(next++);
      },
      [n = n_](const int& next) { return next == n; });
    to_ = nullptr;
    return {[](caf::ok_atom) {}};
  }

private:
  int n_;
  caf::actor to_;
};

/// Takes streams.
class drain : public caf::event_based_actor {
public:
  drain(caf::actor_config& cfg, std::shared_ptr<std::vector<int>> seen)
    : caf::event_based_actor(cfg), seen_(std::move(seen)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](const caf::stream<int>& in) {
      return make_sink(
        in, [](caf::unit_t&) {},
        [seen = seen_](caf::unit_t&, int x) { seen->push_back(x); });
    }};
  }

private:
  std::shared_ptr<std::vector<int>> seen_;
};

} // namespace

TEST_CASE_FIXTURE(test::hand_cranked, "a stream of CAF passes a direct pool") {
  for (auto workers : {1U, 3U}) {
    CAPTURE(workers);
    auto got = std::make_shared<std::vector<int>>();
    auto pool = actor_pool::make(
      system(), workers, [&] { return system().spawn<drain>(got); },
      actor_pool::round_robin());
    for (auto i = 0; i < 3; ++i)
      system().spawn<streamer>(200, pool);
    for (auto i = 0; i < 50; ++i)
      advance(std::chrono::milliseconds{50});
    std::sort(got->begin(), got->end());
    REQUIRE(got->size() == 600);
    for (std::size_t i = 0; i < got->size(); ++i)
      CHECK((*got)[i] == static_cast<int>(i / 3));
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }
}

} // namespace streams_tests

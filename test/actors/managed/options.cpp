/// The measures that placements get, and the options that pools refuse.

#include "libpool/core/composition.hpp"
#include "libpool/policies/priority.hpp"
#include "support/strategy_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace managed_options_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::managed_options;
using libpool::policy;
using test::complaint;
using test::first_of;
using test::has;
using test::scripted;
using world = test::strategy_world;

// -- measures -----------------------------------------------------------------

namespace {

/// Notes the costs of tasks.
class noting final : public libpool::placement {
public:
  noting(libpool::measure measure, std::vector<libpool::duration>& costs)
    : measure_(measure), costs_(costs) {
    // nop
  }

  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    one_ = &worker;
  }

  void withdrawn(libpool::worker&, libpool::instant) noexcept override {
    one_ = nullptr;
  }

  void assigned(libpool::worker&, libpool::task&,
                libpool::instant) noexcept override {
    // nop
  }

  void measured(libpool::worker&, libpool::task&, libpool::ending,
                libpool::duration cost, libpool::instant) noexcept override {
    costs_.push_back(cost);
  }

  void unassigned(libpool::worker&, libpool::task&,
                  libpool::instant) noexcept override {
    // nop
  }

  std::optional<libpool::measure> measures() const noexcept override {
    return measure_;
  }

  libpool::worker* choose(const libpool::task&,
                          libpool::instant) noexcept override {
    return one_;
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return some.front();
  }

private:
  libpool::measure measure_;
  std::vector<libpool::duration>& costs_;
  libpool::worker* one_ = nullptr;
};

/// A policy of one's own parts.
policy own_parts(libpool::measure measure,
                 std::vector<libpool::duration>& costs,
                 const managed_options& options) {
  auto parts = [measure, &costs] {
    libpool::composition result;
    result.order = libpool::order_named("fifo").make({});
    result.placement = std::make_unique<noting>(measure, costs);
    return result;
  };
  return actor_pool::managed(parts, options);
}

using costs = std::vector<libpool::duration>;

libpool::duration processor_time() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec}
         + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace

TEST_CASE(
  "a placement gets the service times of handlers if it asks for them") {
  world w;
  costs seen;
  w.options.measure_times = false;
  w.make(own_parts(libpool::measure::service_time, seen, w.options), {3ms});
  w.send_at_once(2);
  CHECK(seen == costs{3ms, 3ms});
}

TEST_CASE(
  "a placement gets the waiting times of messages if it asks for them") {
  world w;
  costs seen;
  w.make(own_parts(libpool::measure::wait_time, seen, w.options), {3ms});
  w.send_at_once(3);
  CHECK(seen == costs{0ms, 3ms, 6ms});
}

TEST_CASE(
  "a placement gets the processor times of handlers if it asks for them") {
  world w;
  costs seen;
  auto how = own_parts(libpool::measure::cpu_time, seen, w.options);
  w.make(how, {});
  auto before = processor_time();
  auto worker = w.system().spawn<scripted>([&](scripted&) -> caf::behavior {
    return {[&](int) {
      w.pass(1h); // which it does not work
      for (auto end = processor_time() + 2ms; processor_time() < end;)
        ; // nop
    }};
  });
  CHECK(w.put(worker).is_empty());
  w.send_at_once(1);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] >= 2ms);
  CHECK(seen[0] <= processor_time() - before);
  w.exit(worker, caf::exit_reason::user_shutdown);
}

// -- options that exclude each other ------------------------------------------

TEST_CASE("the error about a user function that the policy does not use names "
          "the function") {
  auto complaint_about = [](const char* policy,
                            const libpool::message_functions& asked) {
    return complaint([&] {
      actor_pool::managed(libpool::managed_policy_named(policy), {}, asked);
    });
  };
  libpool::message_functions weighs;
  weighs.weight_of = [](const caf::actor&) { return 1ns; };
  CHECK(complaint_about("least_used", weighs)
        == "libpool: weight_of: the policy does not use this option; it is an "
           "option of actor_pool::weighted_round_robin");
  CHECK(complaint_about("weighted_round_robin", weighs) == "");
  libpool::message_functions keys;
  keys.key_of = [](const libpool::message_content&) {
    return std::optional<std::uint64_t>{};
  };
  CHECK(complaint_about("shared_queue", keys)
        == "libpool: key_of: the policy does not use this option; it is an "
           "option of actor_pool::consistent_hash");
  CHECK(complaint_about("consistent_hash", keys) == "");
  libpool::message_functions ranks;
  ranks.priority_of = first_of;
  CHECK(complaint_about("fair_share", ranks)
        == "libpool: priority_of: the policy does not use this option; it is "
           "an option of actor_pool::priority");
  CHECK(complaint_about("priority", ranks) == "");
}

TEST_CASE(
  "making the policy consistent_hash without the function key_of throws") {
  CHECK(complaint([&] { actor_pool::consistent_hash({}); })
        == "libpool: key_of: consistent_hash requires this option");
}

TEST_CASE("errors about options begin with the name of the library") {
  auto is_ours = [](auto make) {
    auto why = complaint(make);
    CAPTURE(why);
    CHECK(why.rfind("libpool: ", 0) == 0);
  };
  managed_options wrong;
  wrong.window = 0;
  is_ours([&] { actor_pool::shared_queue(wrong); });
  libpool::rank_options aged;
  aged.age_step = 0ns;
  is_ours([&] { actor_pool::priority(aged); });
  is_ours([&] { actor_pool::fair_share({}, wrong); });
  libpool::home_options steals;
  steals.alpha = 0;
  is_ours([&] { actor_pool::work_stealing(steals); });
  is_ours([&] { actor_pool::managed(nullptr); });
  is_ours([&] { libpool::managed_policy_named("fairest"); });
  is_ours([&] { libpool::priority{{0ns}}; });
  is_ours([&] { actor_pool::first_success(0); });
  is_ours([&] { actor_pool::hedged(0ns); });
  libpool::estimate_options placed;
  placed.history = 0;
  is_ours([&] { actor_pool::fair_share(placed); });
  libpool::recipe eager;
  eager.order = "priority";
  eager.assignment = libpool::assignment::eager;
  is_ours([&] { actor_pool::managed(eager); });
}

TEST_CASE(
  "the error about an option of a placement out of bounds names the option") {
  libpool::estimate_options wrong;
  wrong.history = 0;
  CHECK(has(complaint([&] { actor_pool::fair_share(wrong); }), "history"));
  wrong = {};
  wrong.initial_estimate = 0ns;
  CHECK(
    has(complaint([&] { actor_pool::least_busy(wrong); }), "initial_estimate"));
  libpool::key_options keys;
  keys.balance = 1;
  CHECK(has(complaint([&] { actor_pool::consistent_hash(keys); }), "balance"));
  libpool::rank_options aged;
  aged.age_step = 0ns;
  CHECK(has(complaint([&] { actor_pool::priority(aged); }), "age_step"));
  CHECK(has(complaint([&] { actor_pool::managed(nullptr); }), "parts"));
}

TEST_CASE(
  "the error about an unknown policy name lists all names of policies") {
  auto why = complaint([] { libpool::managed_policy_named("fairest"); });
  CHECK(has(why, "fairest"));
  for (const auto& entry : libpool::managed_policies())
    CHECK(has(why, std::string{entry.name}));
  CHECK(has(complaint([&] {
              libpool::recipe how;
              how.placement = "best";
            }),
            "least_used"));
}

TEST_CASE("the option window replaces the default window of a policy") {
  auto in_mailbox = [](managed_options options, auto make) {
    world w;
    options.on_settled = w.options.on_settled;
    w.make(make(options), {1ms});
    for (auto x = 1; x <= 5; ++x)
      caf::anon_send(w.pool, x);
    auto sent = w.stats().tasks.sent;
    w.run();
    return sent;
  };
  auto queue = [](const managed_options& o) {
    return actor_pool::shared_queue(o);
  };
  auto rr = [](const managed_options& o) {
    return actor_pool::managed_round_robin(o);
  };
  CHECK(in_mailbox({}, queue) == 1);
  CHECK(in_mailbox({}, rr) == 2);
  managed_options three;
  three.window = 3;
  CHECK(in_mailbox(three, queue) == 3);
  CHECK(in_mailbox(three, rr) == 3);
}

} // namespace managed_options_tests

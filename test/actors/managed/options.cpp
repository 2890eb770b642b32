/// The measures that placements get, and the options that pools refuse.

#include "libpool/core/composition.hpp"
#include "libpool/policies/placement/random_placement.hpp"
#include "support/crew_world.hpp"

#include <chrono>
#include <ctime>
#include <optional>

namespace managed_options_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::managed_options;
using test::complaint;
using test::first_of;
using test::has;
using test::scripted;
using world = test::crew_world;

// -- measures -----------------------------------------------------------------

namespace {

using costs = std::vector<libpool::duration>;

/// Notes the costs of tasks.
class noting final : public libpool::random_placement {
public:
  noting(libpool::measure measure, costs& seen)
    : random_placement(1), measure_(measure), seen_(seen) {
    // nop
  }

  void measured(libpool::worker&, libpool::task&, libpool::ending,
                libpool::duration cost, libpool::instant) noexcept override {
    seen_.push_back(cost);
  }

  std::optional<libpool::measure> measures() const noexcept override {
    return measure_;
  }

private:
  libpool::worker* pick(const std::vector<libpool::worker*>& some,
                        libpool::instant) noexcept override {
    return some.front();
  }

  libpool::measure measure_;
  costs& seen_;
};

struct measuring_world : world {
  void make_noting(libpool::measure measure,
                   const std::vector<std::chrono::milliseconds>& times) {
    auto parts = [=] {
      libpool::composition result;
      result.order = libpool::order_named("fifo").make({});
      result.placement = std::make_unique<noting>(measure, seen);
      return result;
    };
    make(actor_pool::managed(parts, options), times);
  }

  costs seen;
};

libpool::duration processor_time() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec}
         + std::chrono::nanoseconds{now.tv_nsec};
}

} // namespace

TEST_CASE_FIXTURE(measuring_world, "a placement gets the service times of "
                                   "handlers if it asks for them") {
  options.measure_times = false;
  make_noting(libpool::measure::service_time, {3ms});
  send_at_once(2);
  CHECK(seen == costs{3ms, 3ms});
}

TEST_CASE_FIXTURE(measuring_world, "a placement gets the waiting times of "
                                   "messages if it asks for them") {
  make_noting(libpool::measure::wait_time, {3ms});
  send_at_once(3);
  CHECK(seen == costs{0ms, 3ms, 6ms});
}

TEST_CASE_FIXTURE(measuring_world, "a placement gets the processor times of "
                                   "handlers if it asks for them") {
  make_noting(libpool::measure::cpu_time, {});
  auto before = processor_time();
  auto worker = system().spawn<scripted>([&](scripted&) -> caf::behavior {
    return {[&](int) {
      pass(1h); // which it does not work
      for (auto end = processor_time() + 2ms; processor_time() < end;)
        ; // nop
    }};
  });
  CHECK(put(worker).is_empty());
  send_at_once(1);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0] >= 2ms);
  CHECK(seen[0] <= processor_time() - before);
  exit(worker);
}

// -- options that exclude each other ------------------------------------------

TEST_CASE("the error about a user function that the policy does not use names "
          "the function and the policies that use it") {
  using functions = libpool::message_functions;
  using content = libpool::message_content;
  struct option {
    std::string name;
    void (*set)(functions&);
    std::vector<std::string> users;
  };
  const std::vector<option> all{
    {"weight_of",
     [](functions& o) { o.weight_of = [](const caf::actor&) { return 1ns; }; },
     {"weighted_round_robin"}},
    {"key_of",
     [](functions& o) { o.key_of = [](const content&) { return 1; }; },
     {"consistent_hash"}},
    {"priority_of",
     [](functions& o) { o.priority_of = first_of; },
     {"priority"}},
    {"home_of",
     [](functions& o) { o.home_of = [](const content&) { return 0; }; },
     {"work_stealing"}},
    {"move_cost",
     [](functions& o) { o.move_cost = [](const content&) { return 0ns; }; },
     {"work_stealing"}},
    {"kind_of",
     [](functions& o) { o.kind_of = [](const content&) { return 0U; }; },
     {"work_stealing", "join_shortest_estimated_queue"}},
    {"estimate_of",
     [](functions& o) { o.estimate_of = [](const content&) { return 1ns; }; },
     {"work_stealing", "join_shortest_estimated_queue"}}};
  for (const auto& each : all) {
    functions asked;
    each.set(asked);
    auto complaint_of = [&](const std::string& policy) {
      return complaint([&] {
        actor_pool::managed(libpool::managed_policy_named(policy), {}, asked);
      });
    };
    auto text = "libpool: " + each.name
                + ": the policy does not use this option; it is an option of "
                  "actor_pool::"
                + each.users.front();
    if (each.users.size() > 1)
      text += " and actor_pool::" + each.users.back();
    CHECK(complaint_of("shared_queue") == text);
    for (const auto& user : each.users)
      CHECK(complaint_of(user) == "");
  }
}

TEST_CASE("errors about options begin with the name of the library, and name "
          "the option") {
  auto names = [](const char* name, auto make) {
    auto why = complaint(make);
    CAPTURE(why);
    CHECK(why.rfind("libpool: ", 0) == 0);
    CHECK(has(why, name));
  };
  managed_options wrong;
  wrong.window = 0;
  names("window", [&] { actor_pool::shared_queue(wrong); });
  names("window", [&] { actor_pool::fair_share({}, wrong); });
  libpool::rank_options aged;
  aged.age_step = 0ns;
  names("age_step", [&] { actor_pool::priority(aged); });
  libpool::home_options steals;
  steals.alpha = 0;
  names("alpha", [&] { actor_pool::work_stealing(steals); });
  names("parts", [] { actor_pool::managed(nullptr); });
  names("asked", [] { actor_pool::first_success(0); });
  names("after", [] { actor_pool::hedged(0ns); });
  libpool::estimate_options placed;
  placed.history = 0;
  names("history", [&] { actor_pool::fair_share(placed); });
  placed = {};
  placed.initial_estimate = 0ns;
  names("initial_estimate", [&] { actor_pool::least_busy(placed); });
  libpool::key_options keys;
  names("key_of: consistent_hash requires this option",
        [&] { actor_pool::consistent_hash(keys); });
  keys.balance = 1;
  names("balance", [&] { actor_pool::consistent_hash(keys); });
  libpool::recipe eager;
  eager.order = "priority";
  eager.assignment = libpool::assignment::eager;
  names("priority", [&] { actor_pool::managed(eager); });
  names("least_used", [&] { eager.placement = "best"; });
  for (const auto& entry : libpool::managed_policies())
    names(std::string{entry.name}.c_str(),
          [] { libpool::managed_policy_named("fairest"); });
}

TEST_CASE("a worker has at most one task in its mailbox, or as many as the "
          "option window permits") {
  auto in_mailbox = [](std::optional<std::size_t> window, auto policy) {
    world w;
    w.options.window = window;
    w.make(policy(w.options), {1ms});
    for (auto x = 1; x <= 5; ++x)
      caf::anon_send(w.pool, x);
    return w.stats().tasks.sent;
  };
  CHECK(in_mailbox(std::nullopt, actor_pool::shared_queue) == 1);
  CHECK(in_mailbox(std::nullopt, actor_pool::managed_round_robin) == 1);
  CHECK(in_mailbox(3, actor_pool::shared_queue) == 3);
  CHECK(in_mailbox(3, actor_pool::managed_round_robin) == 3);
}

} // namespace managed_options_tests

/// Managed pools of all policies, and what the user tells them of messages and
/// workers. What the policies choose is tested where they are, without actors.

#include "support/managed_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::managed_options;
using libpool::outcome;
using libpool::policy;
using test::managed_world;
using test::scripted;

namespace {

using numbers = std::vector<int>;

/// A pool of which it is known who has done what, in which order.
struct world : managed_world {
  using managed_world::managed_world;

  /// Workers that take so long for each message; the i-th one `times[i]`.
  void make(const policy& how,
            const std::vector<std::chrono::milliseconds>& times) {
    pool = actor_pool::make(system(), how);
    for (auto each : times)
      add(each);
    run();
  }

  void add(std::chrono::milliseconds time) {
    auto index = static_cast<int>(added++);
    auto worker = system().spawn<scripted>([=](scripted&) -> caf::behavior {
      return {[=](int x) {
        done.emplace_back(index, x);
        pass(time);
        return 2 * x;
      }};
    });
    by_worker.push_back(worker);
    CHECK(put(worker).is_empty());
  }

  ~world() {
    finish();
    for (auto& each : by_worker)
      exit(each, caf::exit_reason::user_shutdown);
  }

  /// Sends 1, 2, …, n, each once the one before it is done.
  void send_one_by_one(int n) {
    for (auto x = 1; x <= n; ++x) {
      caf::anon_send(pool, x);
      run();
    }
  }

  void send_at_once(int n) {
    for (auto x = 1; x <= n; ++x)
      caf::anon_send(pool, x);
    run();
  }

  /// Who has done them, in the order in which they began.
  numbers who() const {
    numbers result;
    for (const auto& each : done)
      result.push_back(each.first);
    return result;
  }

  numbers what() const {
    numbers result;
    for (const auto& each : done)
      result.push_back(each.second);
    return result;
  }

  std::size_t added = 0;
  std::vector<caf::actor> by_worker;
  std::vector<std::pair<int, int>> done;
};

int first_of(const caf::type_erased_tuple& content) {
  return content.get_as<int>(0);
}

/// What `refused` throws, if that is std::invalid_argument.
template <class Refused>
std::string complaint(Refused refused) {
  try {
    refused();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

// -- all of them --------------------------------------------------------------

TEST_CASE("whatever the policy, each message is settled, and each request "
          "answered") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(actor_pool::managed(entry.how, w.options), {1ms, 2ms, 3ms});
      std::vector<test::reply> replies;
      for (auto x = 1; x <= 30; ++x)
        caf::anon_send(w.pool, x);
      CHECK(w.client.ask(w.pool, 7).get<int>() == 14);
      w.run();
      CHECK(w.done.size() == 31);
      CHECK(w.count(outcome::completed) == 31);
    }
}

TEST_CASE("whatever the policy, work of a worker that dies is done by others") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(actor_pool::managed(entry.how, w.options), {1ms, 2ms, 3ms});
      for (auto x = 1; x <= 30; ++x)
        caf::anon_send(w.pool, x);
      for (std::uint64_t i = 0; i < seed; ++i)
        w.step();
      w.kill(w.by_worker[seed % 3]);
      w.run();
      CHECK(w.count(outcome::completed) + w.count(outcome::failed) == 30);
      CHECK(w.count(outcome::failed) <= 1);
    }
}

TEST_CASE("whatever the policy, no message waits while workers come and go") {
  for (const auto& entry : libpool::managed_policies())
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(std::string{entry.name});
      CAPTURE(seed);
      world w{seed};
      w.make(actor_pool::managed(entry.how, w.options), {1ms, 1ms});
      for (auto x = 1; x <= 30; ++x) {
        caf::anon_send(w.pool, x);
        if (x % 10 == 0) {
          w.add(1ms);
          caf::anon_send(w.pool, caf::sys_atom{}, caf::delete_atom{},
                         w.by_worker[static_cast<std::size_t>(x) / 10 - 1]);
        }
        w.step();
      }
      w.run();
      CHECK(w.count(outcome::completed) == 30);
    }
}

// -- who gets what ------------------------------------------------------------

TEST_CASE("managed round robin serves the workers as they joined") {
  world w;
  w.make(actor_pool::round_robin(w.options), {1ms, 1ms, 1ms});
  w.send_one_by_one(7);
  CHECK(w.who() == numbers{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("fair share gives a slow worker less") {
  world w;
  w.make(actor_pool::fair_share({}, w.options), {1ms, 1ms, 10ms});
  w.send_at_once(60);
  w.done.clear();
  w.send_at_once(210);
  auto slow = w.who();
  // By now the estimates are known; it works at a tenth of the others' speed.
  CHECK(std::count(slow.begin(), slow.end(), 2) == 10);
}

TEST_CASE("weights are shares of the time") {
  world w;
  w.options.weight_of = [&](const caf::actor&) -> libpool::duration {
    return std::chrono::milliseconds{w.added};
  };
  SUBCASE("each budget in one go") {
    w.make(actor_pool::weighted_round_robin({}, w.options), {1ms, 1ms, 1ms});
    w.send_one_by_one(12);
    CHECK(w.who() == numbers{0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2});
  }
  SUBCASE("in small portions") {
    w.make(actor_pool::interleaved_weighted_round_robin({}, w.options),
           {1ms, 1ms, 1ms});
    w.send_one_by_one(12);
    CHECK(w.who() == numbers{0, 1, 2, 1, 2, 2, 0, 1, 2, 1, 2, 2});
  }
}

TEST_CASE("a worker without a weight above 0 is not added") {
  world w;
  w.options.weight_of = [](const caf::actor&) { return 0ns; };
  w.make(actor_pool::weighted_round_robin({}, w.options), {});
  auto worker = w.system().spawn<scripted>(
    [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
  auto why = w.put(worker).error();
  CHECK(why == caf::sec::invalid_argument);
  CHECK(has(w.system().render(why), "weight_of"));
  CHECK(w.workers().empty());
  auto make = [&] {
    auto factory = [&] { return worker; };
    actor_pool::make(w.system(), 1, factory,
                     actor_pool::weighted_round_robin({}, w.options));
  };
  CHECK(has(complaint(make), "weight_of"));
  w.exit(worker, caf::exit_reason::user_shutdown);
}

TEST_CASE("a worker of which the user throws is not added") {
  world w;
  w.options.weight_of = [](const caf::actor&) -> libpool::duration {
    throw std::runtime_error{"no idea"};
  };
  w.make(actor_pool::weighted_round_robin({}, w.options), {});
  auto worker = w.system().spawn<scripted>(
    [](scripted&) -> caf::behavior { return {[](int x) { return x; }}; });
  CHECK(w.put(worker).error() == errc::policy_failed);
  w.exit(worker, caf::exit_reason::user_shutdown);
}

// -- which message goes next --------------------------------------------------

TEST_CASE("the highest priority goes first") {
  world w;
  w.options.priority_of = first_of;
  w.make(actor_pool::priority({}, w.options), {1ms});
  for (auto x : {3, 1, 2, 5, 4})
    caf::anon_send(w.pool, x);
  w.run();
  CHECK(w.what() == numbers{3, 5, 4, 2, 1}); // the first one found it idle
}

TEST_CASE("unless told otherwise, urgent messages have priority") {
  world w;
  w.make(actor_pool::priority({}, w.options), {1ms});
  for (auto x : {1, 2})
    caf::anon_send(w.pool, x);
  caf::anon_send<caf::message_priority::high>(w.pool, 3);
  w.run();
  CHECK(w.what() == numbers{1, 3, 2});
}

TEST_CASE("with ageing, what has waited for long goes before what is new") {
  world w;
  w.options.priority_of = first_of;
  w.options.measure_times = false; // it goes by the time all the same
  w.make(actor_pool::priority({1ms}, w.options), {1ms});
  caf::anon_send(w.pool, 9);
  caf::anon_send(w.pool, 1);
  w.pass(5ms);
  caf::anon_send(w.pool, 5); // has 4 levels more, and came 5 ms later
  caf::anon_send(w.pool, 7);
  w.run();
  CHECK(w.what() == numbers{9, 7, 1, 5});
}

TEST_CASE("messages of one key go to one worker, one after the other") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    world w{seed};
    w.options.key_of = [](const caf::type_erased_tuple& content) {
      return std::optional<std::uint64_t>{
        static_cast<std::uint64_t>(first_of(content)) % 5};
    };
    w.make(actor_pool::consistent_hash({}, w.options), {1ms, 1ms, 1ms});
    w.send_at_once(50);
    w.add(1ms);
    w.send_at_once(50);
    std::map<int, int> last;
    auto round = 0;
    for (const auto& each : w.done) {
      auto x = each.second;
      CAPTURE(x);
      if (round++ == 50)
        last.clear();
      CHECK(last[x % 5] < x);
      last[x % 5] = x;
    }
    CHECK(w.done.size() == 100);
  }
}

TEST_CASE("what a function of the user throws refuses the message") {
  world w;
  w.options.priority_of = [](const caf::type_erased_tuple& content) {
    if (first_of(content) < 0)
      throw std::runtime_error{"no idea"};
    return std::int64_t{0};
  };
  w.make(actor_pool::priority({}, w.options), {1ms});
  CHECK(w.client.ask(w.pool, -1).error() == errc::policy_failed);
  CHECK(w.client.ask(w.pool, 1).get<int>() == 2);
  CHECK(w.count(outcome::refused) == 1);
}

TEST_CASE("the user is not asked of messages that another pool tracks") {
  world w;
  auto asked = 0;
  w.options.priority_of = [&](const caf::type_erased_tuple&) {
    ++asked;
    return std::int64_t{0};
  };
  w.make(actor_pool::priority({}, w.options), {1ms});
  auto outer = actor_pool::make(w.system(), actor_pool::shared_queue());
  caf::anon_send(outer, caf::sys_atom{}, caf::put_atom{}, w.pool);
  w.run();
  CHECK(w.client.ask(outer, 4).get<int>() == 8);
  CHECK(asked == 0);
  caf::anon_send(outer, caf::sys_atom{}, caf::delete_atom{}, w.pool);
  w.run();
  w.exit(outer, caf::exit_reason::user_shutdown);
  w.run();
}

// -- what is measured ---------------------------------------------------------

namespace {

/// Notes what tasks have cost.
class noting final : public libpool::placement {
public:
  noting(libpool::measure what, std::vector<libpool::duration>& costs)
    : what_(what), costs_(costs) {
    // nop
  }

  void offered(libpool::worker& who, libpool::instant) noexcept override {
    one_ = &who;
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

  void parted(libpool::worker&, libpool::task&,
              libpool::instant) noexcept override {
    // nop
  }

  std::optional<libpool::measure> measures() const noexcept override {
    return what_;
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
  libpool::measure what_;
  std::vector<libpool::duration>& costs_;
  libpool::worker* one_ = nullptr;
};

/// A policy of one's own parts.
policy own_parts(libpool::measure what, std::vector<libpool::duration>& costs,
                 const managed_options& options) {
  auto parts = [what, &costs] {
    libpool::composition result;
    result.order = libpool::order_named("fifo").make({});
    result.placement = std::make_unique<noting>(what, costs);
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

TEST_CASE("a placement hears how long handlers took, if it asks for that") {
  world w;
  costs seen;
  w.options.measure_times = false;
  w.make(own_parts(libpool::measure::service_time, seen, w.options), {3ms});
  w.send_at_once(2);
  CHECK(seen == costs{3ms, 3ms});
}

TEST_CASE("a placement hears how long messages waited, if it asks for that") {
  world w;
  costs seen;
  w.make(own_parts(libpool::measure::wait_time, seen, w.options), {3ms});
  w.send_at_once(3);
  CHECK(seen == costs{0ms, 3ms, 6ms});
}

TEST_CASE("a placement hears the processor time of handlers, if it asks for "
          "that") {
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

// -- what does not go together ------------------------------------------------

TEST_CASE("an option without effect is refused by name") {
  managed_options weighs;
  weighs.weight_of = [](const caf::actor&) { return 1ns; };
  CHECK(has(complaint([&] { actor_pool::least_used(weighs); }), "weight_of"));
  CHECK(complaint([&] { actor_pool::weighted_round_robin({}, weighs); }) == "");
  managed_options keys;
  keys.key_of = [](const caf::type_erased_tuple&) {
    return std::optional<std::uint64_t>{};
  };
  CHECK(has(complaint([&] { actor_pool::shared_queue(keys); }), "key_of"));
  managed_options ranks;
  ranks.priority_of = first_of;
  CHECK(
    has(complaint([&] { actor_pool::fair_share({}, ranks); }), "priority_of"));
}

TEST_CASE("options of placements that are out of bounds are refused by name") {
  libpool::placement_options wrong;
  wrong.history = 0;
  CHECK(has(complaint([&] { actor_pool::fair_share(wrong); }), "history"));
  wrong = {};
  wrong.initial_estimate = 0ns;
  CHECK(
    has(complaint([&] { actor_pool::least_busy(wrong); }), "initial_estimate"));
  wrong = {};
  wrong.balance = 1;
  CHECK(has(complaint([&] { actor_pool::consistent_hash(wrong); }), "balance"));
  CHECK(has(complaint([&] { actor_pool::priority({0ns}); }), "age_step"));
  CHECK(has(complaint([&] { actor_pool::managed(nullptr); }), "parts"));
}

TEST_CASE("an unknown policy names the choices") {
  auto why = complaint([] { libpool::managed_policy_named("fairest"); });
  CHECK(has(why, "fairest"));
  for (const auto& entry : libpool::managed_policies())
    CHECK(has(why, std::string{entry.name}));
  libpool::recipe how;
  how.placement = "best";
  CHECK(has(complaint([&] { actor_pool::managed(how); }), "least_used"));
}

TEST_CASE("a policy has the window that suits it, unless told") {
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
  auto rr = [](const managed_options& o) { return actor_pool::round_robin(o); };
  CHECK(in_mailbox({}, queue) == 1);
  CHECK(in_mailbox({}, rr) == 2);
  managed_options three;
  three.window = 3;
  CHECK(in_mailbox(three, queue) == 3);
  CHECK(in_mailbox(three, rr) == 3);
}

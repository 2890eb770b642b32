/// Pools as workers of pools keep the promises of a single pool.

#include "support/managed_world.hpp"
#include "support/numbers.hpp"

#include <algorithm>
#include <chrono>

namespace managed_nested_pools_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::outcome;
using test::crash;
using test::managed_world;
using test::numbers;
using test::scripted;

namespace {

/// An inner pool, whose tasks are counted apart from the tasks of the outer
/// one.
struct world : managed_world {
  libpool::managed_options inner_options;
  caf::actor inner;
  int crashes = 0; // of workers of `crashing`, from the first message on

  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    options.when_empty = libpool::when_empty::wait;
    inner_options.when_empty = libpool::when_empty::wait;
  }

  ~world() {
    finish();
    if (inner)
      exit(inner);
    inner = nullptr;
    run();
  }

  void make_inner(std::size_t n, const scripted::script& script) {
    make_inner(n, script, actor_pool::shared_queue(inner_options));
  }

  void make_inner(std::size_t n, const scripted::script& script,
                  const actor_pool::policy& how,
                  const libpool::pool_options& about = {}) {
    inner = actor_pool::make(
      system(), n, [=] { return system().spawn<scripted>(script); }, how,
      about);
    run();
  }

  /// The outer pool, with the inner one as its only worker.
  void make_outer() {
    pool = actor_pool::make(system(), actor_pool::shared_queue(options));
    put(inner);
  }

  scripted::script crashing() {
    return [this](scripted&) -> caf::behavior {
      return {[this](int x) {
        if (crashes-- > 0)
          crash();
        return 2 * x;
      }};
    };
  }

  void clear(const caf::actor& one) {
    client.ask(one, caf::sys_atom{}, caf::delete_atom{});
  }

  libpool::ledger inner_books() const {
    return actor_pool::stats(inner).tasks;
  }
};

} // namespace

TEST_CASE("when a deadline of an inner pool passes, the client is answered "
          "while the handler still runs, or while the request waits") {
  for (auto waits : {false, true}) {
    CAPTURE(waits);
    world w;
    w.inner_options.deadline = 100ms;
    w.inner_options.busy_until = libpool::busy_until::answer;
    w.make_inner(1, w.promising());
    w.make_outer();
    if (waits)
      w.client.request(w.inner, 0); // keeps the worker busy
    auto number = w.request(1);
    w.advance(100ms);
    CHECK(w.error_of(number) == errc::deadline_exceeded);
    CHECK(w.inner_books().cancelled == (waits ? 2 : 1));
    CHECK(w.books().open() == 0);
    REQUIRE(w.fates.size() == 1);
    CHECK(w.fates[0].how == outcome::cancelled);
    CHECK(w.fates[0].reason == errc::deadline_exceeded);
    w.deliver(0, 1);
    CHECK(w.client.answer_to(number).count == 1);
  }
}

TEST_CASE_FIXTURE(world, "recordings of an outer and of an inner pool have the "
                         "kinds of the messages that they pass on") {
  make_inner(1, crashing());
  make_outer();
  for (const auto& each : {pool, inner})
    actor_pool::record(each, {1h});
  auto number = request(1);
  run();
  CHECK(client.answer_to(number).count == 1);
  for (const auto& each : {pool, inner}) {
    auto all = actor_pool::recorded(each);
    REQUIRE(all.runs.size() == 1);
    const auto& kind = all.kinds[all.runs[0].kind];
    CHECK((kind == "i32" || kind == "int32_t")); // by the CAF
  }
}

TEST_CASE_FIXTURE(world, "a cancelled message that waits in an inner pool that "
                         "gathers is cancelled there") {
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(
    1, promising(),
    actor_pool::first_success(1, actor_pool::shared_queue(inner_options)));
  make_outer();
  auto own = client.request(inner, 1); // keeps the worker busy
  run();
  auto number = request(2);
  REQUIRE(promises.size() == 1);
  REQUIRE(inner_books().waiting == 1);
  actor_pool::cancel(pool, libpool::selection::of_all());
  run();
  CHECK(error_of(number) == errc::cancelled);
  CHECK(inner_books().waiting == 0);
  CHECK(inner_books().cancelled == 1);
  CHECK(books().open() == 0);
  deliver(0, 10);
  CHECK(result_of(own) == 10);
  CHECK(promises.size() == 1);
}

TEST_CASE_FIXTURE(world, "a crash in an inner pool is retried by the inner or "
                         "by the outer pool") {
  crashes = 2;
  SUBCASE("by the outer pool") {
    options.on_crash = libpool::retry{2};
    make_inner(4, crashing());
  }
  SUBCASE("by the outer pool, while the inner pool is a direct one") {
    options.on_crash = libpool::retry{2};
    make_inner(4, crashing(), actor_pool::round_robin());
  }
  SUBCASE("by the inner pool") {
    inner_options.on_crash = libpool::retry{2};
    make_inner(4, crashing());
  }
  make_outer();
  CHECK(result_of(request(21)) == 42);
  CHECK(crashes == -1);
  CHECK(books().completed == 1);
  CHECK(books().failed == 0);
  crashes = 1;
  client.send(pool, 21);
  run();
  CHECK(crashes == -1);
  CHECK(books().completed == 2);
}

TEST_CASE_FIXTURE(world,
                  "a full inner pool returns messages to the outer pool, which "
                  "sends them again when the inner pool has room") {
  inner_options.capacity = 1;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  auto full = inner;
  SUBCASE("a worker of the outer pool") {}
  SUBCASE("a worker of a direct pool in the outer pool") {
    inner = actor_pool::make(
      system(), 1, [=] { return full; }, actor_pool::round_robin());
  }
  make_outer();
  client.request(full, 100);
  client.request(full, 101); // it is full
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 3; ++i)
    sent.push_back(request(i));
  CHECK(books().open() == 3);
  for (std::size_t i = 0; i < 5; ++i)
    deliver(i, static_cast<int>(i));
  for (std::size_t i = 0; i < sent.size(); ++i)
    CHECK(result_of(sent[i]) == static_cast<int>(i) + 2);
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(
  world, "messages wait for an empty inner pool until it or another worker of "
         "the outer pool can handle them") {
  inner = actor_pool::make(system(), actor_pool::shared_queue(inner_options));
  make_outer();
  auto number = request(4);
  CHECK_FALSE(is_answered(number));
  client.ask(inner, caf::sys_atom{}, caf::put_atom{},
             system().spawn<scripted>(doubling()));
  CHECK(result_of(number) == 8);
  clear(inner);
  put_doubling();
  for (auto i = 0; i < 10; ++i)
    CHECK(client.ask(pool, i).get<int>() == 2 * i);
  CHECK(inner_books().accepted == 1);
}

TEST_CASE_FIXTURE(world,
                  "messages wait for an inner pool whose workers will soon be "
                  "replaced, and fail at once if its workers were removed") {
  options.when_empty = libpool::when_empty::end;
  inner_options.when_empty = libpool::when_empty::end;
  inner_options.restart.max = 3;
  inner_options.restart.pause = inner_options.restart.longest_pause = 50ms;
  make_inner(1, doubling());
  make_outer();
  kill(actor_pool::stats(inner).members.at(0).worker);
  run();
  auto number = request(4);
  CHECK_FALSE(is_answered(number));
  advance(50ms);
  CHECK(result_of(number) == 8);
  clear(inner);
  CHECK(error_of(request(4)) == errc::no_workers);
}

TEST_CASE_FIXTURE(world, "an outer pool counts a message once if broadcast_all "
                         "in an inner pool fails") {
  inner_options.deadline = 100ms;
  inner_options.busy_until = libpool::busy_until::answer;
  auto policy = actor_pool::broadcast_all<numbers>(
    test::append, {}, {}, actor_pool::shared_queue(inner_options));
  SUBCASE("as cancelled when the deadline of the message passes") {
    make_inner(2, promising(), policy);
    make_outer();
    auto number = request(1);
    advance(100ms);
    CHECK(error_of(number) == errc::deadline_exceeded);
    CHECK(books().completed == 0);
    CHECK(books().cancelled == 1);
    deliver(0, 1);
    deliver(1, 1);
  }
  SUBCASE("as completed when workers have answered with errors") {
    make_inner(
      2,
      [](scripted&) -> caf::behavior {
        return {
          [](int) -> caf::result<int> { return caf::sec::bad_function_call; }};
      },
      policy);
    make_outer();
    CHECK(error_of(request(1)));
    CHECK(books().completed == 1);
  }
}

TEST_CASE_FIXTURE(world, "an inner pool gets at most as many messages at a "
                         "time as it has workers, even after RESIZE") {
  inner_options.busy_until = libpool::busy_until::answer;
  options.busy_until = libpool::busy_until::answer;
  make_inner(3, promising());
  make_outer();
  for (auto i = 0; i < 8; ++i)
    client.request(pool, i);
  run();
  CHECK(promises.size() == 3);
  CHECK(books().waiting == 5);
  actor_pool::resize(inner, 5);
  run();
  CHECK(promises.size() == 5);
  for (std::size_t i = 0; i < 8; ++i)
    deliver(i, 0);
}

TEST_CASE_FIXTURE(world, "urgent messages remain urgent in an inner pool") {
  options.window = 4;
  inner_options.busy_until = libpool::busy_until::answer;
  make_inner(1, promising());
  auto direct = actor_pool::make(
    system(), 1, [this] { return inner; }, actor_pool::round_robin());
  client.request(inner, 0);
  client.request(direct, 1);
  make_outer();
  CHECK(books().open() == 0);
  request_urgent(777, 2);
  run();
  deliver(0, 0);
  deliver(1, 5); // the urgent one, though it came later
  CHECK(result_of(777) == 5);
  deliver(2, 6);
  clear(direct);
}

TEST_CASE("a message that a client sends to an inner pool goes before later "
          "messages of its two outer pools") {
  for (const auto& how :
       {actor_pool::shared_queue(), actor_pool::fair_queuing()}) {
    world w;
    w.make_inner(1, w.doubling(), how);
    w.make_outer();
    auto other = actor_pool::make(
      w.system(), 1, [&] { return w.inner; }, actor_pool::shared_queue());
    constexpr auto flood = 300;
    for (auto x = 0; x < flood; ++x)
      w.client.send(x % 2 == 0 ? w.pool : other, x);
    for (auto i = 0; i < 20; ++i)
      w.step();
    auto before = w.doubled.size();
    REQUIRE(before > 0);
    test::probe direct{w};
    CHECK(direct.ask(w.inner, 1000).get<int>() == 2000);
    CHECK(w.doubled.size() == flood + 1);
    auto place = std::find(w.doubled.begin(), w.doubled.end(), 1000);
    CHECK(place - w.doubled.begin() <= static_cast<std::ptrdiff_t>(before) + 4);
    w.clear(other);
    w.exit(other);
  }
}

// -- messages that cannot be handled ------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a message that an inner pool can never handle is refused in both ledgers") {
  libpool::flow_options wide;
  wide.too_wide = libpool::too_wide::refuse;
  wide.width_of = libpool::width_by<int>();
  make_inner(1, doubling(), actor_pool::fair_queuing(wide, inner_options),
             noting_refusals());
  make_outer();
  CHECK(error_of(request(5)) == errc::too_wide);
  client.send(pool, 6);
  run();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason == errc::too_wide);
  CHECK(refusals[0].content.match_elements<int>());
  CHECK(books().completed == 0);
  CHECK(books().cancelled == 2);
  CHECK(inner_books().completed == 0);
}

TEST_CASE_FIXTURE(
  world, "only the message that an inner pool cannot split fails, and only "
         "once") {
  auto split = [](caf::message& content) {
    libpool::message_parts result;
    if (!content.match_elements<numbers>())
      throw std::runtime_error{"another type"};
    for (auto each : content.get_as<numbers>(0))
      result.push_back(each < 0 ? throw std::runtime_error{"negative"}
                                : caf::make_message(each));
    return result;
  };
  make_inner(2, doubling(),
             actor_pool::managed_split_join<numbers>(test::append, split));
  make_outer();
  std::vector<std::uint64_t> sent;
  auto send = [&](const auto& content) {
    sent.push_back(client.request(pool, content));
    client.send(pool, content);
  };
  send(numbers{-1});      // throws
  send(numbers{});        // no parts
  send(std::string{"?"}); // another type
  auto good = request(numbers{1, 2});
  for (auto each : sent)
    CHECK(error_of(each) == errc::policy_failed);
  CHECK(result_of<numbers>(good).size() == 2);
  CHECK(books().completed == 1);
  CHECK(books().cancelled == 6);
}

TEST_CASE_FIXTURE(world, "an outer pool counts a message once, as cancelled, "
                         "if the policy of an inner direct pool throws") {
  using guard = actor_pool::uplock;
  using workers = actor_pool::actor_vec;
  auto policy = actor_pool::round_robin();
  auto is_lost = false;
  SUBCASE("the split of split_join") {
    policy = actor_pool::split_join<numbers>(
      test::append, [](libpool::worker_tasks&, caf::message& message) {
        auto taken = std::move(message);
        message = taken;
        throw std::runtime_error{"no way"};
      });
  }
  SUBCASE("a functor that has taken the message") {
    is_lost = true;
    policy = [](caf::actor_system&, guard&, const workers&,
                caf::mailbox_element_ptr& element,
                libpool::execution_context*) {
      auto taken = std::move(element);
      throw std::runtime_error{"no way"};
    };
  }
  make_inner(1, doubling(), policy, noting_refusals());
  make_outer();
  CHECK(error_of(request(1)) == errc::policy_failed);
  client.send(pool, 2);
  run();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].content.match_elements<int>() != is_lost);
  CHECK(books().completed == 0);
  CHECK(books().cancelled == 2);
  for (auto& each : fates)
    CHECK(each.reason == errc::policy_failed);
  CHECK(stats().errors[errc::policy_failed] == 2);
  CHECK(doubled.empty());
}

TEST_CASE_FIXTURE(world, "a message fails with worker_crashed if a worker of "
                         "an inner split_join ends before its answer") {
  make_inner(2, promising(), actor_pool::split_join<numbers>(test::append));
  make_outer();
  auto number = request(1);
  REQUIRE(promises.size() == 2);
  kill(caf::actor{holders.at(0)});
  run();
  CHECK(error_of(number) == errc::worker_crashed);
  CHECK(books().failed == 1);
  CHECK(books().completed == 0);
}

TEST_CASE_FIXTURE(world,
                  "messages for an inner direct pool that has no workers or "
                  "has ended run on a worker that joins the outer pool") {
  inner = actor_pool::make(system(), actor_pool::round_robin());
  make_outer();
  auto before = request(3);
  kill(inner);
  run();
  CHECK(put(inner).error() == errc::worker_down);
  auto after = request(4);
  CHECK(workers().empty());
  CHECK_FALSE(is_answered(before));
  CHECK_FALSE(is_answered(after));
  put_doubling();
  CHECK(result_of(before) == 6);
  CHECK(result_of(after) == 8);
}

} // namespace managed_nested_pools_tests

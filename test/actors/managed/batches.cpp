/// Messages that go to workers in batches: which of them go together, and what
/// becomes of each.

#include "support/brittle.hpp"
#include "support/managed_world.hpp"
#include "support/numbers.hpp"
#include "support/port/actors.hpp"

#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace managed_batches_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::batch_of;
using libpool::errc;
using libpool::outcome;
using libpool::selection;
using test::managed_world;
using test::numbers;
using test::scripted;

namespace {

using batch_list = std::vector<numbers>;

int number_in(const libpool::message_content& message) {
  return message.match_elements<int>() ? message.get_as<int>(0) : 0;
}

/// Workers that double the numbers of a batch, and crash if it has one that is
/// poison.
struct world : managed_world {
  static constexpr auto poison = 13;

  explicit world(std::uint64_t seed = 0) : managed_world(seed) {
    auto note = options.on_settled;
    options.on_settled = [this, note](const libpool::settled_task& settled) {
      crashes.push_back(settled.crashes);
      note(settled);
    };
    options.id_of = number_in;
    options.when_empty = libpool::when_empty::wait;
    restart(20);
    set(3, 10ms);
  }

  ~world() {
    finish();
    promises.clear();
  }

  void set(std::size_t most, libpool::duration wait) {
    options.batch = batch_of<int, int>({most, wait});
  }

  scripted::script batching() {
    return [this](scripted&) -> caf::behavior {
      return {[this](const numbers& xs) {
                batches.push_back(xs);
                if (std::count(xs.begin(), xs.end(), poison) > 0)
                  test::crash();
                return doubles_of(xs);
              },
              [this](const std::string& text) {
                texts.push_back(text);
                return text;
              }};
    };
  }

  static numbers doubles_of(numbers xs) {
    for (auto& each : xs)
      each *= 2;
    return xs;
  }

  /// Workers that answer each batch when the test says so.
  scripted::script promising_all() {
    options.busy_until = libpool::busy_until::answer;
    return [this](scripted& self) -> caf::behavior {
      return {[this, &self](const numbers& xs) {
                batches.push_back(xs);
                holders.push_back(&self);
                promises.push_back(self.make_response_promise());
                return promises.back();
              },
              [this](caf::ok_atom, std::size_t i, const caf::message& answer) {
                std::exchange(promises.at(i), {}).deliver(answer);
              }};
    };
  }

  /// Has the worker of batch `i` answer it.
  template <class T>
  void answer_batch(std::size_t i, const T& answer) {
    caf::anon_send(caf::actor{holders.at(i)}, caf::ok_atom{}, i,
                   caf::make_message(answer));
    run();
  }

  void answer_batch(std::size_t i) {
    answer_batch(i, doubles_of(batches.at(i)));
  }

  /// Requests without turning the crank.
  std::vector<std::uint64_t> ask(const numbers& xs) {
    std::vector<std::uint64_t> result;
    for (auto x : xs)
      result.push_back(client.request(pool, x));
    return result;
  }

  numbers results_of(const std::vector<std::uint64_t>& requests) {
    numbers result;
    for (auto each : requests)
      result.push_back(result_of(each));
    return result;
  }

  std::uint64_t cancel(int x) {
    auto id = selection::of_id(std::to_string(x));
    return client.request(pool, caf::sys_atom{}, libpool::cancel_atom{}, id);
  }

  batch_list batches;
  std::vector<std::string> texts;
  std::vector<unsigned> crashes; // of settled messages
};

} // namespace

// -- when a batch goes --------------------------------------------------------

TEST_CASE_FIXTURE(world, "a batch goes to a worker when it has the maximum "
                         "number of messages") {
  populate(2, batching());
  auto asked = ask({1, 2, 3, 4});
  run();
  CHECK(batches == batch_list{{1, 2, 3}});
  CHECK(!is_answered(asked[3]));
  asked.pop_back();
  CHECK(results_of(asked) == numbers{2, 4, 6});
  CHECK(books().completed == 3);
  CHECK(count(outcome::completed) == 3);
  CHECK(stats().joined == 2);
  advance(10ms);
}

TEST_CASE_FIXTURE(world, "a batch goes to a worker when its first message has "
                         "waited for the time of the rule") {
  populate(2, batching());
  auto asked = ask({1});
  advance(9ms);
  asked.push_back(request(2));
  CHECK(batches.empty());
  CHECK(books().waiting == 2);
  advance(1ms);
  CHECK(batches == batch_list{{1, 2}});
  CHECK(results_of(asked) == numbers{2, 4});
}

TEST_CASE_FIXTURE(world, "a batch goes to a worker when its messages have the "
                         "maximum size") {
  auto size = [](const int& x) { return static_cast<std::size_t>(x); };
  options.batch = batch_of<int, int>({16, 10ms, 6}, size);
  populate(1, batching());
  ask({2, 4});
  run();
  CHECK(batches == batch_list{{2, 4}});
  SUBCASE("a message that does not fit closes the batch") {
    ask({4, 3});
    run();
    CHECK(batches == batch_list{{2, 4}, {4}});
    advance(10ms);
    CHECK(batches == batch_list{{2, 4}, {4}, {3}});
  }
  SUBCASE("a larger message goes alone") {
    ask({1, 7});
    run();
    CHECK(batches == batch_list{{2, 4}, {7}});
    advance(10ms);
  }
}

TEST_CASE_FIXTURE(world,
                  "a message that cannot be copied into a batch fails, and "
                  "the others of the batch do not") {
  options.id_of = nullptr;
  options.batch = batch_of<test::brittle, int>({5, 10ms});
  populate(1, [](scripted&) -> caf::behavior {
    return {[](const std::vector<test::brittle>& all) {
      numbers result;
      for (const auto& each : all)
        result.push_back(each.x);
      return result;
    }};
  });
  std::vector<std::uint64_t> asked;
  for (auto x : {1, 7, 2, 9})
    asked.push_back(client.request(pool, test::brittle{x}));
  test::brittle::least = 7;
  test::brittle::breaks = true;
  advance(10ms);
  test::brittle::breaks = false;
  test::brittle::least = 0;
  CHECK(result_of(asked[0]) == 1);
  CHECK(error_of(asked[1]) == errc::policy_failed);
  CHECK(result_of(asked[2]) == 2);
  CHECK(error_of(asked[3]) == errc::policy_failed);
}

TEST_CASE_FIXTURE(world, "a pool that drains waits for no messages to join "
                         "batches") {
  populate(1, batching());
  auto asked = ask({1, 2});
  auto drained = drain();
  run();
  CHECK(batches == batch_list{{1, 2}});
  CHECK(results_of(asked) == numbers{2, 4});
  CHECK(client.answer_to(drained).is_empty());
}

TEST_CASE_FIXTURE(world, "messages join a batch while all workers are busy") {
  set(3, 1ms);
  populate(1, promising_all());
  auto asked = ask({1, 2, 3});
  run();
  asked.push_back(request(4));
  advance(5ms);
  asked.push_back(request(5));
  CHECK(batches == batch_list{{1, 2, 3}});
  answer_batch(0);
  CHECK(batches == batch_list{{1, 2, 3}, {4, 5}});
  answer_batch(1);
  CHECK(results_of(asked) == numbers{2, 4, 6, 8, 10});
}

TEST_CASE_FIXTURE(world, "a rule without waiting time makes batches of what "
                         "has arrived while workers were busy") {
  set(3, 0ns);
  populate(1, promising_all());
  ask({1, 2, 3});
  run();
  CHECK(batches == batch_list{{1}});
  answer_batch(0);
  CHECK(batches == batch_list{{1}, {2, 3}});
  answer_batch(1);
}

TEST_CASE_FIXTURE(world, "a paused pool sends no batches") {
  populate(1, batching());
  actor_pool::pause(pool);
  auto asked = ask({1, 2, 3, 4});
  advance(20ms);
  CHECK(batches.empty());
  actor_pool::resume(pool);
  run();
  CHECK(batches == batch_list{{1, 2, 3}, {4}});
  CHECK(results_of(asked) == numbers{2, 4, 6, 8});
}

// -- what goes together -------------------------------------------------------

TEST_CASE_FIXTURE(world, "messages of other types go alone") {
  populate(1, batching());
  auto asked = ask({1});
  auto text = request(std::string{"one"});
  CHECK(result_of<std::string>(text) == "one");
  CHECK(batches.empty());
  auto whole = request(numbers{5, 6});
  CHECK(result_of<numbers>(whole) == numbers{10, 12});
  asked.push_back(client.request(pool, 2));
  advance(10ms);
  CHECK(batches == batch_list{{5, 6}, {1, 2}});
  CHECK(results_of(asked) == numbers{2, 4});
}

TEST_CASE_FIXTURE(world, "messages of different flows go apart") {
  options.throttled_by = [](const libpool::message_content& message) {
    return libpool::flow_key{number_in(message) % 2};
  };
  populate(1, batching());
  auto asked = ask({1, 2, 3, 4, 5});
  advance(10ms);
  CHECK(batches == batch_list{{1, 3, 5}, {2, 4}});
  CHECK(results_of(asked) == numbers{2, 4, 6, 8, 10});
}

TEST_CASE_FIXTURE(world, "messages of different keys go apart, in order") {
  libpool::key_options keys;
  keys.key_of = [](const libpool::message_content& message) {
    return std::optional<std::uint64_t>{number_in(message) % 2};
  };
  pool = actor_pool::make(
    system(), 3, [this] { return system().spawn<scripted>(batching()); },
    actor_pool::consistent_hash(keys, options));
  auto asked = ask({1, 2, 3, 4, 5});
  advance(10ms);
  std::sort(batches.begin(), batches.end());
  CHECK(batches == batch_list{{1, 3, 5}, {2, 4}});
  CHECK(results_of(asked) == numbers{2, 4, 6, 8, 10});
}

TEST_CASE_FIXTURE(world, "messages of different priorities go apart, and the "
                         "urgent ones first") {
  set(3, 0ns);
  options.restart.max = 0;
  pool = actor_pool::make(system(), actor_pool::priority({}, options));
  auto asked = ask({1, 2});
  request_urgent(77, 3);
  put(system().spawn<scripted>(batching()));
  CHECK(batches == batch_list{{3}, {1, 2}});
  CHECK(result_of(77) == 6);
}

// -- answers ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "each message without a sender that waits is a task "
                         "as well") {
  populate(1, batching());
  caf::anon_send(pool, 1);
  auto asked = ask({2});
  caf::anon_send(pool, 3);
  run();
  CHECK(batches == batch_list{{1, 2, 3}});
  CHECK(results_of(asked) == numbers{4});
  CHECK(books().completed == 3);
}

TEST_CASE_FIXTURE(world, "a worker may answer a batch after its handler has "
                         "returned") {
  auto script = promising_all();
  options.busy_until = libpool::busy_until::handler;
  populate(1, script);
  auto asked = ask({1, 2, 3});
  run();
  CHECK(!is_answered(asked[0]));
  answer_batch(0);
  CHECK(results_of(asked) == numbers{2, 4, 6});
}

TEST_CASE_FIXTURE(world, "an error is the answer to each message of a batch") {
  populate(1, promising_all());
  auto asked = ask({1, 2, 3});
  run();
  answer_batch(0, caf::make_error(caf::sec::invalid_argument));
  for (auto each : asked)
    CHECK(error_of(each) == caf::sec::invalid_argument);
  CHECK(books().completed == 3);
  CHECK(stats().error_answers == 3);
}

TEST_CASE_FIXTURE(world, "an answer that is not one result for each message "
                         "is answered with errc::policy_failed") {
  populate(1, promising_all());
  auto asked = ask({1, 2, 3});
  run();
  std::string why;
  SUBCASE("with another number of results") {
    answer_batch(0, numbers{2, 4});
    why = "the worker has answered a batch of 3 messages with 2 results";
  }
  SUBCASE("with another type") {
    answer_batch(0, std::string{"six"});
    why = "but the answer of the worker is (";
  }
  for (auto each : asked) {
    CHECK(error_of(each) == errc::policy_failed);
    CHECK(says(client.answer_to(each), why));
  }
  CHECK(books().completed == 3);
  CHECK(stats().error_answers == 3);
}

TEST_CASE_FIXTURE(world, "messages without results get empty answers") {
  options.batch = batch_of<int>({3, 10ms});
  populate(1, [this](scripted&) -> caf::behavior {
    return {[this](const numbers& xs) { batches.push_back(xs); }};
  });
  auto asked = ask({1, 2, 3});
  run();
  CHECK(batches == batch_list{{1, 2, 3}});
  for (auto each : asked)
    CHECK(client.answer_to(each).is_empty());
}

TEST_CASE_FIXTURE(world, "a batch that was answered with an error is tried "
                         "again as a whole") {
  options.retry_on = [](const caf::error&, unsigned) {
    return std::optional<libpool::duration>{1ms};
  };
  populate(1, promising_all());
  auto asked = ask({1, 2, 3});
  run();
  answer_batch(0, caf::make_error(caf::sec::invalid_argument));
  advance(1ms);
  CHECK(batches == batch_list{{1, 2, 3}, {1, 2, 3}});
  answer_batch(1);
  CHECK(results_of(asked) == numbers{2, 4, 6});
}

// -- messages that leave their batch ------------------------------------------

TEST_CASE_FIXTURE(world, "a message that is cancelled leaves its batch") {
  populate(1, promising_all());
  std::vector<std::uint64_t> asked;
  batch_list begun{{1, 3}};
  SUBCASE("while it waits") {
    asked = ask({1, 2});
    cancel(2);
    asked.push_back(client.request(pool, 3));
    advance(10ms);
  }
  SUBCASE("before its worker has begun") {
    asked = ask({1, 2, 3});
    cancel(2);
    run();
  }
  SUBCASE("while its handler runs") {
    asked = ask({1, 2, 3});
    run();
    cancel(2);
    run();
    begun = {{1, 2, 3}};
  }
  CHECK(batches == begun);
  CHECK(error_of(asked[1]) == errc::cancelled);
  CHECK(!is_answered(asked[0]));
  answer_batch(0);
  CHECK(result_of(asked[0]) == 2);
  CHECK(result_of(asked[2]) == 6);
  CHECK(books().completed == 2);
  CHECK(books().cancelled == 1);
}

TEST_CASE_FIXTURE(world, "the first message of a batch can be cancelled") {
  populate(1, promising_all());
  std::vector<std::uint64_t> asked;
  batch_list begun{{2, 3}};
  SUBCASE("while it waits") {
    asked = ask({1, 2, 3}); // at the worker: taken back
    cancel(1);
    run();
  }
  SUBCASE("while its handler runs") {
    asked = ask({1, 2, 3});
    run();
    cancel(1);
    run();
    begun = {{1, 2, 3}};
  }
  CHECK(batches == begun);
  CHECK(error_of(asked[0]) == errc::cancelled);
  answer_batch(0);
  CHECK(result_of(asked[1]) == 4);
  CHECK(result_of(asked[2]) == 6);
}

TEST_CASE_FIXTURE(world, "a message whose deadline passes leaves its batch") {
  options.deadline_of = [](const libpool::message_content& message) {
    return number_in(message) == 2 ? std::optional<libpool::duration>{5ms}
                                   : std::nullopt;
  };
  populate(1, promising_all());
  auto asked = ask({1, 2});
  SUBCASE("while it waits") {
    advance(5ms);
    CHECK(error_of(asked[1]) == errc::deadline_exceeded);
    advance(5ms);
    CHECK(batches == batch_list{{1}});
  }
  SUBCASE("while its handler runs") {
    asked.push_back(request(3));
    CHECK(batches == batch_list{{1, 2, 3}});
    advance(5ms);
    CHECK(error_of(asked[1]) == errc::deadline_exceeded);
  }
  CHECK(!is_answered(asked[0]));
  answer_batch(0);
  CHECK(result_of(asked[0]) == 2);
}

TEST_CASE_FIXTURE(world, "a time limit ends all messages of a batch") {
  options.time_limit = 5ms;
  populate(1, promising_all());
  auto asked = ask({1, 2, 3});
  run();
  advance(5ms);
  for (auto each : asked)
    CHECK(error_of(each) == errc::time_limit);
  answer_batch(0);
  CHECK(books().cancelled == 3);
}

TEST_CASE_FIXTURE(world, "a message whose sender has gone is not sent") {
  populate(1, batching());
  auto asked = ask({1});
  {
    test::probe other{*this};
    other.request(pool, 2);
    other.die();
  }
  asked.push_back(request(3));
  advance(10ms);
  CHECK(batches == batch_list{{1, 3}});
  CHECK(results_of(asked) == numbers{2, 6});
}

// -- crashes ------------------------------------------------------------------

TEST_CASE_FIXTURE(world, "the message of a batch that crashes workers is found "
                         "in halves, and its neighbours complete") {
  options.on_crash = libpool::retry{};
  set(8, 10ms);
  populate(2, batching());
  auto asked = ask({1, 2, 3, poison, 5, 6, 7, 8});
  run();
  advance(1s);
  // In batches of 8, 4 and 2, and twice alone.
  CHECK(stats().departed.crashed == 5);
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (i == 3)
      CHECK(error_of(asked[i]) == errc::retries_exhausted);
    else
      CHECK(client.answer_to(asked[i]).count == 1);
  CHECK(books().completed == 7);
  CHECK(books().failed == 1);
  CHECK(std::count(crashes.begin(), crashes.end(), 0U) == 7);
}

TEST_CASE_FIXTURE(world, "a batch that has crashed its worker fails without "
                         "retries") {
  set(4, 10ms);
  populate(2, batching());
  auto asked = ask({1, 2, poison, 4});
  run();
  for (auto each : asked)
    CHECK(error_of(each) == errc::worker_crashed);
  CHECK(stats().departed.crashed == 1);
  CHECK(books().failed == 4);
}

TEST_CASE_FIXTURE(world, "a batch whose worker ends before it has begun goes "
                         "to another worker") {
  populate(1, batching());
  auto asked = ask({1, 2, 3});
  for (auto& each : workers())
    exit(each, caf::exit_reason::kill);
  run();
  advance(1s);
  CHECK(batches == batch_list{{1, 2, 3}});
  CHECK(results_of(asked) == numbers{2, 4, 6});
}

TEST_CASE_FIXTURE(world, "all messages of batches are answered when the pool "
                         "ends") {
  populate(1, promising_all());
  auto asked = ask({1, 2, 3, 4, 5, 6, 7});
  run();
  exit(pool);
  pool = nullptr;
  run();
  for (std::size_t i = 3; i < asked.size(); ++i)
    CHECK(is_answered(asked[i]));
  answer_batch(0);
  for (auto each : asked)
    CHECK(client.answer_to(each).count == 1);
}

// -- typed pools
// ---------------------------------------------------------------

TEST_CASE_FIXTURE(world, "a typed pool answers messages whose workers take "
                         "batches") {
  using one = caf::typed_actor<test::signature<int, int>>;
  using many = caf::typed_actor<test::signature<numbers, numbers>>;
  options.workers = 2;
  auto typed = libpool::spawn_typed_pool<one>(
    system(), options, batch_of<int, int>({3, 10ms}), [this] {
      return system().spawn([this](many::pointer) -> many::behavior_type {
        return {[this](const numbers& xs) {
          batches.push_back(xs);
          return doubles_of(xs);
        }};
      });
    });
  pool = caf::actor_cast<caf::actor>(typed);
  typed = nullptr;
  auto asked = ask({1, 2, 3});
  run();
  CHECK(batches == batch_list{{1, 2, 3}});
  CHECK(results_of(asked) == numbers{2, 4, 6});
}

// -- pools of pools -----------------------------------------------------------

TEST_CASE_FIXTURE(world, "a pool can be the worker that gets batches") {
  libpool::managed_options inner;
  inner.workers = 1;
  auto script = batching();
  auto worker = libpool::spawn_pool(
    system(), inner, [=] { return system().spawn<scripted>(script); });
  make_empty();
  put(worker);
  auto asked = ask({1, 2, 3});
  run();
  CHECK(batches == batch_list{{1, 2, 3}});
  CHECK(results_of(asked) == numbers{2, 4, 6});
  exit(worker);
}

TEST_CASE_FIXTURE(world, "a pool whose client is a pool makes batches of the "
                         "messages of that pool") {
  SUBCASE("with retries") {
    options.on_crash = libpool::retry{};
  }
  SUBCASE("without retries") {
    options.on_crash = libpool::fail{};
  }
  auto inner_options = options;
  inner_options.workers = 1;
  inner_options.on_settled = nullptr;
  auto script = batching();
  auto inner = libpool::spawn_pool(
    system(), inner_options, [=] { return system().spawn<scripted>(script); });
  options.batch = std::nullopt;
  options.id_of = nullptr;
  make_empty();
  put(inner);
  auto asked = ask({1, 2, 3, 4});
  caf::anon_send(pool, 5);
  caf::anon_send(pool, 6);
  advance(10ms);
  advance(10ms);
  CHECK(results_of(asked) == numbers{2, 4, 6, 8});
  CHECK(batches.front().size() > 1);
  CHECK(books().completed == 6);
  CHECK(actor_pool::stats(inner).tasks.completed == 6);
  exit(inner);
  run();
}

} // namespace managed_batches_tests

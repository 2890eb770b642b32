/// Joins and splits that take the values in messages, in place of the messages.

#include "support/gather_world.hpp"
#include "support/port/words.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace typed_joins_tests {

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using libpool::policy;
using libpool::worker_tasks;
using test::doubler;
using test::gather_world;
using test::numbers;
using does = gather_world::does;

namespace {

void sum_up(int& sum, const int& x) {
  sum += x;
}

void append_text(std::string& to, const std::string& text) {
  to += text;
}

/// Counts how often it is copied.
struct costly {
  explicit costly(numbers values = {}) : xs(std::move(values)) {
    // nop
  }

  costly(costly&&) = default;
  costly& operator=(costly&&) = default;
  costly& operator=(const costly&) = default;

  costly(const costly& other) : xs(other.xs) {
    ++copies;
  }

  numbers xs;
  inline static int copies = 0;
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, costly& value) {
  return libpool::inspect_fields(f, value, "costly",
                                 libpool::field{"xs", value.xs});
}

} // namespace

} // namespace typed_joins_tests

LIBPOOL_TEST_MESSAGE_TYPE(6, typed_joins_tests::costly)

namespace typed_joins_tests {

namespace {

struct world : gather_world {
  /// A direct pool of three workers that double.
  caf::actor direct(const policy& how) {
    auto result = actor_pool::make(
      system(), 3, [this] { return system().spawn<doubler>(); }, how);
    at_end([result] {
      caf::anon_send_exit(result, caf::exit_reason::user_shutdown);
    });
    return result;
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a join may take results by value or by reference") {
  auto lambda = [](int& sum, int x) { sum += x; };
  auto mutating = [sum = 0](int& all, int&& x) mutable { all = sum += x; };
  SUBCASE("split_join of a direct pool") {
    CHECK(client.ask(direct(actor_pool::split_join<int>(sum_up)), 5).get<int>()
          == 30);
    CHECK(client.ask(direct(actor_pool::split_join<int>(lambda)), 5).get<int>()
          == 30);
    CHECK(
      client.ask(direct(actor_pool::split_join<int>(mutating)), 5).get<int>()
      == 30);
  }
  SUBCASE("split_join of a managed pool") {
    make(actor_pool::managed_split_join<int>(sum_up, test::one_each, 100, {},
                                             queue()),
         {does::answer});
    CHECK(client.ask(pool, numbers{1, 2, 3}).get<int>() == 106);
    CHECK(client.ask(pool, numbers{1, 2, 3}).get<int>() == 106);
  }
  SUBCASE("split_join in order") {
    gather_options ordered;
    ordered.ordered = true;
    auto digits = [](int& all, const int& x) { all = 10 * all + x; };
    make(actor_pool::managed_split_join<int>(digits, test::one_each, 0, ordered,
                                             queue()),
         {does::answer});
    CHECK(client.ask(pool, numbers{1, 2, 3}).get<int>() == 123);
  }
  SUBCASE("broadcast_all") {
    make(actor_pool::broadcast_all<int>(sum_up, 0, {}, queue()),
         {does::answer, does::answer});
    CHECK(client.ask(pool, 1).get<int>() == 102);
  }
  SUBCASE("quorum") {
    make(actor_pool::quorum<int>(2, 2, sum_up, 0, {}, queue()),
         {does::answer, does::answer});
    CHECK(client.ask(pool, 1).get<int>() == 102);
  }
}

TEST_CASE_FIXTURE(world, "the error about an answer whose type the join does "
                         "not take names both types") {
  auto said = std::string{"libpool: the policy, or a function given to the "
                          "pool, failed: join takes "}
              + test::string_type + ", but the answer is (" + test::int_type
              + ")";
  SUBCASE("of a direct pool") {
    auto how = actor_pool::split_join<std::string>(append_text);
    CHECK(text(client.ask(direct(how), 5)) == said);
  }
  SUBCASE("of a managed pool") {
    make(actor_pool::managed_split_join<std::string>(
           append_text, test::one_each, {}, {}, queue()),
         {does::answer});
    CHECK(text(client.ask(pool, numbers{1, 2})) == said);
    CHECK(text(client.ask(pool, numbers{3})) == said); // all workers live
  }
  SUBCASE("of all workers") {
    make(actor_pool::broadcast_all<std::string>(append_text, {}, {}, queue()),
         {does::answer, does::answer});
    CHECK(text(client.ask(pool, 1)) == said);
  }
  SUBCASE("of a type of the user's") {
    auto own = [](int&, const costly&) {};
    CHECK(text(client.ask(direct(actor_pool::split_join<int>(own)), 5))
            .find(std::string{"costly, but the answer is ("} + test::int_type)
          != std::string::npos);
  }
}

TEST_CASE_FIXTURE(world, "a typed join ignores an empty answer of a worker") {
  make(actor_pool::broadcast_all<int>(sum_up, 0, {}, queue()), {does::answer});
  by_worker.push_back(system().spawn<test::scripted>(
    [](test::scripted&) -> caf::behavior { return {[](int) {}}; }));
  put_by_request(by_worker.back());
  CHECK(client.ask(pool, 1).get<int>() == 1);
}

TEST_CASE_FIXTURE(world, "a split may take the content of a message by value, "
                         "by reference or as a message") {
  auto value = [](numbers xs) { return xs; };
  auto reference = [](const numbers& xs) { return xs; };
  auto changes = [](numbers& xs) { return std::move(xs); };
  auto messages = [](const numbers& xs) {
    libpool::message_parts parts;
    for (auto x : xs)
      parts.push_back(caf::make_message(x));
    return parts;
  };
  auto whole = [](const caf::message& all) { return all.get_as<numbers>(0); };
  auto of = [&](auto split) {
    return actor_pool::managed_split_join<int>(sum_up, split, 0, {}, queue());
  };
  SUBCASE("by value") {
    make(of(value), {does::answer});
  }
  SUBCASE("by reference") {
    make(of(reference), {does::answer});
  }
  SUBCASE("by reference, to change the value") {
    make(of(changes), {does::answer});
  }
  SUBCASE("to make messages") {
    make(of(messages), {does::answer});
  }
  SUBCASE("as a message, for parts with a type") {
    make(of(whole), {does::answer});
  }
  CHECK(client.ask(pool, numbers{1, 2, 3}).get<int>() == 6);
  CHECK(client.ask(pool, numbers{4}).get<int>() == 4);
}

TEST_CASE_FIXTURE(world,
                  "a split of a direct pool may take the value in a message") {
  auto split = [](worker_tasks& tasks, const numbers& xs) {
    for (std::size_t i = 0; i < tasks.size(); ++i)
      tasks[i].second = caf::make_message(xs.at(i));
  };
  auto to = direct(actor_pool::split_join<int>(sum_up, split));
  CHECK(client.ask(to, numbers{1, 2, 3}).get<int>() == 12);
  auto said = std::string{"but the message is ("} + test::int_type + ", "
              + test::int_type + ")";
  CHECK(text(client.ask(to, 1, 2)).find(said) != std::string::npos);
}

TEST_CASE_FIXTURE(world, "the error about a message whose type the split does "
                         "not take names both types") {
  auto split = [](numbers& xs) { return std::move(xs); };
  std::string back;
  caf::error why;
  libpool::pool_options about;
  about.on_refused = [&](libpool::refusal& refusal) {
    back = refusal.content.get_as<std::string>(0);
    why = refusal.reason;
  };
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<int>(sum_up, split, 0, {}, queue()), about);
  add(does::answer);
  client.send(pool, std::string{"text"});
  run();
  CHECK(back == "text");
  CHECK(why == errc::policy_failed);
  CHECK(libpool::render(why, system())
        == std::string{"libpool: the policy, or a function given to the pool, "
                       "failed: split takes "}
             + test::ints_type + ", but the message is (" + test::string_type
             + ")");
}

TEST_CASE_FIXTURE(world, "join and split functions with typed arguments copy "
                         "only the initial value of the result") {
  held_elsewhere = true;
  auto split = [](const costly& all) { return all.xs; };
  auto join = [](costly& all, const int& x) { all.xs.push_back(x); };
  make(
    actor_pool::managed_split_join<costly>(join, split, costly{}, {}, queue()),
    {does::answer});
  auto sent = caf::make_message(costly{{1, 2}});
  costly::copies = 0;
  CHECK(client.ask(pool, sent).content.get_as<costly>(0).xs.size() == 2);
  CHECK(costly::copies == 1); // of the value to begin with
}

} // namespace typed_joins_tests

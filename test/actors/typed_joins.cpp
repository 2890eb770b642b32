/// Joins and splits that take the values in messages, in place of the messages.

#include "support/crew_world.hpp"
#include "support/port/words.hpp"

namespace typed_joins_tests {

using libpool::actor_pool;
using libpool::policy;
using libpool::worker_tasks;
using test::crew_world;
using test::numbers;
using does = crew_world::does;

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

struct world : crew_world {
  /// Asks a direct pool of three workers that double.
  template <class... Ts>
  test::reply of_direct(const policy& how, const Ts&... xs) {
    auto asked = actor_pool::make(
      system(), 3, [this] { return system().spawn<test::doubler>(); }, how);
    auto result = client.ask(asked, xs...);
    stop(asked);
    return result;
  }

  /// Asks a managed pool twice, which gives the same answer.
  test::reply of_managed(const policy& how, std::size_t workers,
                         const caf::message& sent) {
    make(how, std::vector<does>(workers, does::answer));
    auto first = client.ask(pool, sent);
    auto result = client.ask(pool, sent);
    CHECK(text(first) == text(result));
    CHECK(to_string(first.content) == to_string(result.content));
    finish();
    return result;
  }
};

std::string but_the_answer_is(const std::string& type) {
  return "libpool: the policy, or a function given to the pool, failed: join "
         "takes "
         + type + ", but the answer is (" + test::int_type + ")";
}

} // namespace

TEST_CASE_FIXTURE(world, "a join may take results by value or by reference") {
  auto lambda = [](int& sum, int x) { sum += x; };
  auto mutating = [sum = 0](int& all, int&& x) mutable { all = sum += x; };
  for (const auto& how : {actor_pool::split_join<int>(sum_up),
                          actor_pool::split_join<int>(lambda),
                          actor_pool::split_join<int>(mutating)})
    CHECK(of_direct(how, 5).get<int>() == 30);
  auto three = caf::make_message(numbers{1, 2, 3});
  auto sum = actor_pool::managed_split_join<int>(sum_up, test::one_each, 100,
                                                 {}, queue());
  CHECK(of_managed(sum, 1, three).get<int>() == 106);
  libpool::gather_options ordered;
  ordered.ordered = true;
  auto digits = actor_pool::managed_split_join<int>(
    [](int& all, const int& x) { all = 10 * all + x; }, test::one_each, 0,
    ordered, queue());
  CHECK(of_managed(digits, 1, three).get<int>() == 123);
  auto one = caf::make_message(1);
  auto all = actor_pool::broadcast_all<int>(sum_up, 0, {}, queue());
  CHECK(of_managed(all, 2, one).get<int>() == 102);
  auto quorum = actor_pool::quorum<int>(2, 2, sum_up, 0, {}, queue());
  CHECK(of_managed(quorum, 2, one).get<int>() == 102);
}

TEST_CASE_FIXTURE(world, "the error about an answer whose type the join does "
                         "not take names both types") {
  auto said = but_the_answer_is(test::string_type);
  CHECK(text(of_direct(actor_pool::split_join<std::string>(append_text), 5))
        == said);
  auto parts = actor_pool::managed_split_join<std::string>(
    append_text, test::one_each, {}, {}, queue());
  CHECK(text(of_managed(parts, 1, caf::make_message(numbers{1, 2}))) == said);
  auto all = actor_pool::broadcast_all<std::string>(append_text, {}, {},
                                                    queue());
  CHECK(text(of_managed(all, 2, caf::make_message(1))) == said);
  auto own = actor_pool::split_join<int>([](int&, const costly&) {});
  CHECK(text(of_direct(own, 5)).find("costly, but the answer is (")
        != std::string::npos);
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
  auto three = caf::make_message(numbers{1, 2, 3});
  auto check = [&](auto split) {
    auto how = actor_pool::managed_split_join<int>(sum_up, split, 0, {},
                                                   queue());
    const auto answer = of_managed(how, 1, three);
    CHECK(answer.error() == caf::error{});
    CHECK(answer.template get<int>() == 6);
  };
  check([](numbers xs) { return xs; });
  check([](const numbers& xs) { return xs; });
  check([](numbers& xs) { return std::move(xs); }); // a copy of the content
  check([](const caf::message& all) { return all.get_as<numbers>(0); });
  check([](const numbers& xs) {
    libpool::message_parts parts;
    for (auto x : xs)
      parts.push_back(caf::make_message(x));
    return parts;
  });
}

TEST_CASE_FIXTURE(world,
                  "a split of a direct pool may take the value in a message") {
  auto how = actor_pool::split_join<int>(
    sum_up, [](worker_tasks& tasks, const numbers& xs) {
      for (std::size_t i = 0; i < tasks.size(); ++i)
        tasks[i].second = caf::make_message(xs.at(i));
    });
  CHECK(of_direct(how, numbers{1, 2, 3}).get<int>() == 12);
  auto said = std::string{"but the message is ("} + test::int_type + ", "
              + test::int_type + ")";
  CHECK(text(of_direct(how, 1, 2)).find(said) != std::string::npos);
}

TEST_CASE_FIXTURE(world, "the error about a message whose type the split does "
                         "not take names both types") {
  std::string back;
  caf::error why;
  libpool::pool_options about;
  about.on_refused = [&](libpool::refusal& refusal) {
    back = refusal.content.get_as<std::string>(0);
    why = refusal.reason;
  };
  auto split = [](numbers& xs) { return std::move(xs); };
  pool = actor_pool::make(
    system(),
    actor_pool::managed_split_join<int>(sum_up, split, 0, {}, queue()), about);
  add(does::answer);
  client.send(pool, std::string{"text"});
  run();
  CHECK(back == "text");
  CHECK(why == libpool::errc::policy_failed);
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

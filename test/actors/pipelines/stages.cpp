/// Items on their way through the stages of a pipeline.

#include "support/pipeline_world.hpp"

namespace pipelines_stages_tests {

using libpool::answer_when;
using libpool::collect;
using libpool::errc;
using libpool::function_stage;
using libpool::pool_stage;
using test::numbers_of;
using test::probe;
using test::words;
using world = test::staged_world;
using ints = std::vector<int>;

namespace {

int twice(int x) {
  return 2 * x;
}

std::string in_words(int x) {
  return std::to_string(x);
}

std::size_t length(const std::string& x) {
  return x.size();
}

using doubling = caf::typed_actor<test::signature<int, int>>;

template <class Plan, class In, class Out>
constexpr bool is_plan = std::is_same_v<Plan, libpool::pipeline_plan<In, Out>>;

} // namespace

TEST_CASE_FIXTURE(world, "a request is answered by the last stage") {
  spawn(function_stage("double", twice) | function_stage("write", in_words)
        | function_stage("measure", length));
  CHECK(client.ask(line, 500).get<std::size_t>() == 4);
  CHECK(client.ask(line, 4).get<std::size_t>() == 1);
  auto books = stats();
  CHECK(books.completed == 2);
  CHECK(books.stages.at(1).name == "write");
  CHECK(books.stages.at(1).answered == 2);
  CHECK(client.ask(line, caf::sys_atom{}, libpool::stats_atom{})
          .get<libpool::pipeline_stats>()
          .completed
        == 2);
}

TEST_CASE(
  "the type of a pipeline plan contains the input type and the output type") {
  auto noisy = [](int x) noexcept { return x + 1; };
  auto several = [calls = 0](const std::string&) mutable { return ++calls; };
  std::function<caf::expected<int>(const int&)> careful;
  auto whole = function_stage("a", in_words) | function_stage("b", several)
               | function_stage("c", noisy) | collect([](int) {});
  static_assert(is_plan<decltype(whole), int, void>);
  static_assert(is_plan<decltype(function_stage("d", careful)), int, int>);
  auto sourced = libpool::generate([] { return std::optional<int>{}; })
                 | function_stage("e", in_words);
  static_assert(is_plan<decltype(sourced), void, std::string>);
  auto typed = [](const doubling& actor, const caf::actor& other) {
    return std::make_tuple(pool_stage("f", actor), pool_stage("g", other),
                           pool_stage<int, char>("h", other),
                           pool_stage("i", 2, [actor] { return actor; }));
  };
  using stages = std::invoke_result_t<decltype(typed), doubling, caf::actor>;
  static_assert(is_plan<std::tuple_element_t<0, stages>, int, int>);
  static_assert(
    is_plan<std::tuple_element_t<1, stages>, caf::message, caf::message>);
  static_assert(is_plan<std::tuple_element_t<2, stages>, int, char>);
  static_assert(is_plan<std::tuple_element_t<3, stages>, int, int>);
}

TEST_CASE_FIXTURE(world, "a stage gets as many items as its credit allows") {
  spawn_by_hand({2, 1});
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 3; ++i)
    sent.push_back(client.request(line, i));
  CHECK(first.received() == 2);
  CHECK(client.answer_to(sent[2]).error() == errc::queue_full);
  first.answer(0, 10);
  first.answer(1, 11); // waits for the second stage
  CHECK(numbers_of(second) == ints{10});
  client.request(line, 3);
  client.request(line, 4);
  CHECK(numbers_of(first) == ints{0, 1, 3});
  second.answer(0, 20);
  CHECK(client.answer_to(sent[0]).get<int>() == 20);
  CHECK(numbers_of(second) == ints{10, 11});
  client.request(line, 5);
  CHECK(first.received() == 4);
  CHECK(stats().most_in_line == 3);
  CHECK(stats().refused == 2);
  CHECK(stats().stages.at(0).most_held == 2);
}

TEST_CASE_FIXTURE(
  world,
  "items and results may overtake each other unless the pipeline is ordered") {
  for (auto ordered : {false, true}) {
    CAPTURE(ordered);
    options.ordered = ordered;
    spawn_by_hand({4, 4});
    for (auto i = 0; i < 4; ++i)
      client.request(line, i);
    first.answer(3, 3);
    first.answer(1, 1);
    first.answer(2, caf::make_error(caf::sec::runtime_error));
    first.answer(0, 0);
    CHECK(numbers_of(second) == (ordered ? ints{0, 1, 3} : ints{3, 1, 0}));
    for (auto i : ordered ? ints{2, 1, 0} : ints{0, 1, 2}) { // 3 first
      auto at = static_cast<std::size_t>(i);
      second.answer(at, numbers_of(second)[at]);
    }
    CHECK(numbers_of(client) == (ordered ? ints{0, 1, 3} : ints{3, 1, 0}));
    first->inbox.clear();
    second->inbox.clear();
    finish();
  }
}

TEST_CASE_FIXTURE(world, "a sender is answered when its item is accepted") {
  options.answer = answer_when::accepted;
  options.max_waiting = 1;
  spawn_by_hand({1});
  auto a = client.request(line, 1);
  auto b = client.request(line, 2);
  auto c = client.request(line, 3);
  CHECK(client.answer_to(a).is_empty());
  CHECK_FALSE(client.answer_to(b).came());
  CHECK(client.answer_to(c).error() == errc::queue_full);
  CHECK(stats().waiting == 1);
  first.answer(0, 1);
  CHECK(client.answer_to(b).is_empty());
  first.answer(1, caf::make_error(caf::sec::runtime_error));
  CHECK(client.answer_to(b).count == 1);
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].number == 2);
  CHECK(failures[0].stage == "first");
  CHECK(failures[0].reason == errc::stage_failed);
}

TEST_CASE_FIXTURE(world, "an urgent item remains urgent at its stage") {
  spawn_by_hand({2});
  client.send(line, 1);
  caf::anon_send<caf::message_priority::high>(line, 2);
  CHECK_FALSE(first->inbox.at(0)->mid.is_urgent_message());
  CHECK(first->inbox.at(1)->mid.is_urgent_message());
  CHECK(first->inbox.at(1)->mid.is_request());
}

TEST_CASE_FIXTURE(world, "only the first answer of a stage to an item counts") {
  spawn_by_hand({1, 2});
  auto a = client.request(line, 1);
  first.answer(0, 1);
  first.answer(0, 7);
  second.answer(0, 1);
  CHECK(client.answer_to(a).get<int>() == 1);
  auto b = client.request(line, 2); // in the slot of the one before
  first.answer(0, 7);
  second.answer(0, 7);
  CHECK(numbers_of(second) == ints{1});
  first.answer(1, 2);
  first.answer(1, 7);
  second.answer(0, 7);
  second.answer(1, 3);
  second.answer(1, 7);
  CHECK(client.answer_to(b).get<int>() == 3);
  CHECK(client.received() == 2);
}

TEST_CASE_FIXTURE(
  world,
  "a second answer does not count while the item waits for the next stage") {
  spawn_by_hand({2, 1});
  client.request(line, 1);
  client.request(line, 2);
  first.answer(0, 1);
  first.answer(1, 2);
  first.answer(1, 7);
  second.answer(0, 0);
  CHECK(numbers_of(second) == ints{1, 2});
}

TEST_CASE_FIXTURE(world, "untyped stages pass on values of any types") {
  spawn_by_hand({1, 1});
  auto number = client.request(line, 1, std::string{"one"});
  CHECK(libpool::content_of(*first->inbox.at(0))
          .match_elements<int, std::string>());
  first.answer(0, 2, 3, 4);
  CHECK(
    libpool::content_of(*second->inbox.at(0)).match_elements<int, int, int>());
  second.answer(0, 5, 6);
  CHECK(client.answer_to(number).content.match_elements<int, int>());
}

TEST_CASE_FIXTURE(
  world, "a function of a stage keeps its state from item to item, and each "
         "pipeline that is made of a plan has its own") {
  auto plan = function_stage("sum",
                             [sum = 0](int x) mutable { return sum += x; });
  for (auto i = 0; i < 2; ++i) {
    spawn(plan);
    CHECK(client.ask(line, 3).get<int>() == 3);
    CHECK(client.ask(line, 4).get<int>() == 7);
    finish();
  }
}

TEST_CASE_FIXTURE(world, "a function of a stage may have several workers") {
  libpool::stage_options several;
  several.workers = 3;
  spawn(function_stage("double", twice, several));
  CHECK(stats().stages.at(0).credit == 6);
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 6; ++i)
    sent.push_back(client.request(line, i));
  run();
  for (std::size_t i = 0; i < sent.size(); ++i)
    CHECK(client.answer_to(sent[i]).get<int>() == 2 * static_cast<int>(i));
}

TEST_CASE_FIXTURE(world,
                  "the last function of a pipeline need not return anything") {
  spawn(function_stage("double", twice)
        | collect([&](int x) { seen.push_back(x); }));
  CHECK(client.ask(line, 1).is_empty());
  client.send(line, 2);
  run();
  CHECK(seen == ints{2, 4});
}

TEST_CASE_FIXTURE(world, "pools may be stages, under their own policies") {
  auto factory = [this] { return system().spawn<test::doubler>(); };
  auto existing = libpool::spawn_pool<test::doubler>(system(), 3);
  spawn(pool_stage("managed", 2, factory)
        | pool_stage("direct", 3, factory, libpool::actor_pool::round_robin())
        | pool_stage<int, int>("taking turns", 2, factory,
                               libpool::actor_pool::least_used())
        | pool_stage("existing", existing));
  std::vector<std::size_t> credits;
  for (auto& each : stats().stages)
    credits.push_back(each.credit);
  CHECK(credits == std::vector<std::size_t>{4, 6, 4, 6});
  CHECK(client.ask(line, 1).get<int>() == 16);
  finish();
  // A pool that existed before the pipeline outlives it.
  CHECK(client.ask(existing, 3).get<int>() == 6);
  stop(existing);
}

TEST_CASE_FIXTURE(world, "a pipeline may be a stage of a pipeline") {
  auto inner = libpool::spawn_pipeline(
    system(),
    function_stage("double", twice, {3}) | function_stage("fail", [](int x) {
      return x > 10 ? throw std::runtime_error{"too much"} : x;
    }));
  spawn(pool_stage<int, int>("inner", inner));
  CHECK(stats().stages.at(0).credit == 3);
  CHECK(client.ask(line, 1).get<int>() == 2);
  CHECK(words(client.ask(line, 6).error())
        == "stage 'inner' (1 of 1): stage 'fail' (2 of 2): the function threw: "
           "too much");
  stop(inner);
}

TEST_CASE_FIXTURE(world, "a pipeline may be a worker of a direct pool") {
  spawn(function_stage("double", twice));
  auto outer = libpool::actor_pool::make(system(),
                                         libpool::actor_pool::round_robin());
  client.put(outer, line);
  CHECK(client.ask(outer, 4).get<int>() == 8);
  client.remove_all(outer);
}

TEST_CASE_FIXTURE(
  world, "items of terminated clients are not passed to the next stage") {
  probe mortal{*this};
  spawn_by_hand({2, 1});
  mortal.request(line, 1);
  client.request(line, 2);
  mortal.die();
  first.answer(0, 1);
  first.answer(1, 2);
  CHECK(numbers_of(second) == ints{2});
  CHECK(stats().cancelled == 1);
}

TEST_CASE(
  "each item leaves a pipeline exactly once in random orders of events") {
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    CAPTURE(seed);
    world w{seed};
    auto& seen = w.seen;
    w.options.ordered = seed % 2 == 0;
    libpool::stage_options two;
    two.workers = 2;
    auto next = [i = 0]() mutable {
      return i < 40 ? std::optional<int>{i++} : std::nullopt;
    };
    w.spawn(libpool::generate(next) | function_stage("double", twice, two)
            | pool_stage<int, int>(
              "again", 3, [&] { return w.system().spawn<test::doubler>(); })
            | collect([&](int x) { seen.push_back(x); }));
    w.run();
    CHECK(w.is_over());
    CHECK_FALSE(w.ended());
    if (!w.options.ordered)
      std::sort(seen.begin(), seen.end());
    REQUIRE(seen.size() == 40);
    for (auto i = 0; i < 40; ++i)
      CHECK(seen[static_cast<std::size_t>(i)] == 4 * i);
  }
}

} // namespace pipelines_stages_tests

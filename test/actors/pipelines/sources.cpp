/// Where items come from, and how pipelines end.

#include "support/pipeline_world.hpp"

namespace pipelines_sources_tests {

using libpool::collect;
using libpool::end_atom;
using libpool::errc;
using libpool::function_stage;
using libpool::generate;
using libpool::pool_stage;
using libpool::pull_from;
using test::numbers_of;
using test::probe;
using test::words;
using ints = std::vector<int>;

namespace {

/// Counts from 0.
auto up_to(int n) {
  return [n, i = 0]() mutable {
    return i < n ? std::optional<int>{i++} : std::nullopt;
  };
}

struct world : test::staged_world {
  auto noting() {
    return collect([this](int x) { seen.push_back(x); });
  }

  /// A pipeline that pulls numbers from `source`, two at a time.
  void spawn_pulling() {
    spawn(pull_from<int>(source.handle()) | noting());
    run();
  }

  template <class T>
  void answer(std::size_t position, T&& with) {
    source.answer(position, std::forward<T>(with));
    run();
  }

  probe source{*this};
};

} // namespace

TEST_CASE_FIXTURE(world, "a generator is called until it returns no item") {
  for (auto n : {20, 0}) {
    seen.clear();
    spawn(generate(up_to(n)) | noting());
    CHECK(stats().accepted == 0);
    run();
    CHECK(seen.size() == static_cast<std::size_t>(n));
    CHECK(is_over());
    CHECK_FALSE(ended());
    CHECK(stats().completed == seen.size());
    CHECK(stats().most_in_line <= 2);
    finish();
  }
}

TEST_CASE_FIXTURE(world, "a generator is called for at most as many items as "
                         "the pipeline has room for") {
  auto calls = 0;
  auto count = [&calls]() -> std::optional<int> { return ++calls; };
  spawn(generate<int>(count) | by_hand("only", first, 3));
  run();
  CHECK(calls == 3);
  CHECK(first.received() == 3);
  first.answer(1, 0);
  run();
  CHECK(calls == 4);
  CHECK(stats().in_line == 3);
}

TEST_CASE_FIXTURE(world,
                  "a pipeline with a source runs to its end without handles") {
  spawn(generate(up_to(20)) | noting());
  caf::actor_addr address = line.address();
  line = nullptr;
  run();
  CHECK(seen.size() == 20);
  CHECK(is_gone(address));
}

TEST_CASE_FIXTURE(world, "a pipeline accepts no more items after its generator "
                         "has thrown, and does not call it again") {
  auto calls = 0;
  auto next = [&calls]() -> std::optional<int> {
    return calls < 5
             ? calls++
             : throw std::runtime_error{"broken" + std::to_string(calls++)};
  };
  libpool::stage_options wide;
  wide.credit = 4;
  spawn(generate(next) | collect([this](int x) { seen.push_back(x); }, wide));
  run();
  CHECK(seen == ints{0, 1, 2, 3, 4});
  REQUIRE(source_failures.size() == 1);
  CHECK(source_failures[0] == errc::source_failed);
  CHECK(words(source_failures[0])
        == "the source has failed: the function threw: broken5");
  CHECK(calls == 6);
  CHECK(is_over());
  CHECK(ended() == errc::source_failed);
}

TEST_CASE_FIXTURE(
  world,
  "a source actor is asked for items until it answers that it has no more") {
  spawn_pulling();
  REQUIRE(source.received() == 2);
  CHECK((source->inbox[0]
           ->content()
           .match_elements<caf::sys_atom, libpool::pull_atom>()));
  answer(1, 7);
  CHECK(seen == ints{7});
  CHECK(source.received() == 3);
  answer(1, 7); // a second answer
  answer(0, 8);
  CHECK(seen == ints{7, 8});
  SUBCASE("by an atom") {
    answer(2, end_atom{});
  }
  SUBCASE("by an empty message") {
    answer(2, caf::message{});
  }
  CHECK_FALSE(is_over()); // it was asked for one more
  answer(3, 9);
  CHECK(seen == ints{7, 8, 9});
  CHECK(is_over());
  CHECK_FALSE(ended());
  CHECK(source_failures.empty());
  CHECK(source.exits().empty());
}

TEST_CASE_FIXTURE(world,
                  "a source that answers with an error is not asked again") {
  spawn_pulling();
  answer(0, 3);
  answer(1, caf::make_error(caf::sec::end_of_stream));
  answer(2, caf::make_error(caf::sec::end_of_stream));
  CHECK(seen == ints{3});
  CHECK(source_failures.size() == 1);
  CHECK(source.received() == 3);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(
  world, "a pipeline ends if its source throws while a request is delivered") {
  source->on_enqueue = [](caf::mailbox_element&) {
    throw std::runtime_error{"no"};
  };
  spawn_pulling();
  CHECK(is_over());
  REQUIRE(source_failures.size() == 1);
  CHECK(words(source_failures[0]) == "the source has failed: no");
  source->on_enqueue = nullptr;
}

TEST_CASE_FIXTURE(
  world,
  "a source that terminates ends the intake, and items in flight continue") {
  spawn(pull_from(source.handle()) | by_hand("only", first, 2) | noting());
  run();
  source.answer(0, 1);
  source.die();
  source.answer(1, 2); // too late
  CHECK(source_failures.size() == 1);
  CHECK_FALSE(is_over());
  first.answer(0, 5);
  run();
  CHECK(seen == ints{5});
  CHECK(is_over());
  CHECK(ended() == errc::source_failed);
}

TEST_CASE_FIXTURE(world, "a pipeline with a source refuses items of clients") {
  spawn_pulling();
  CHECK(client.ask(line, 1).error() == errc::pool_closed);
  CHECK(stats().refused == 1);
}

TEST_CASE_FIXTURE(world, "a failing item does not end the source") {
  auto odd = [](int x) {
    return x % 2 == 0 ? throw std::runtime_error{"even"} : x;
  };
  spawn(generate(up_to(6)) | function_stage("odd", odd) | noting());
  run();
  CHECK(seen == ints{1, 3, 5});
  CHECK(failures.size() == 3);
  CHECK(failures.at(2).number == 5);
}

// -- draining -----------------------------------------------------------------

TEST_CASE_FIXTURE(world,
                  "a pipeline drains stage by stage, and loses no items") {
  std::vector<caf::actor_addr> workers;
  auto make = [&] {
    auto result = system().spawn<test::doubler>();
    workers.push_back(result.address());
    return result;
  };
  spawn(by_hand("first", first, 2) | pool_stage("second", 2, make)
        | by_hand("third", third, 2));
  auto a = client.request(line, 1);
  auto b = client.request(line, 2);
  auto drained = client.request(line, caf::sys_atom{}, libpool::drain_atom{});
  auto late = client.request(line, 3);
  CHECK(client.answer_to(late).error() == errc::pool_closed);
  first.answer(0, 1);
  run();
  CHECK(numbers_of(third) == ints{2});
  CHECK_FALSE(is_gone(workers[0]));
  first.answer(1, 2);
  run();
  CHECK(numbers_of(third) == ints{2, 4});
  CHECK(is_gone(workers[0])); // nothing can come there any more
  CHECK(is_gone(workers[1]));
  CHECK_FALSE(client.answer_to(drained).came());
  third.answer(1, 5);
  third.answer(0, 6);
  CHECK(client.answer_to(a).get<int>() == 6);
  CHECK(client.answer_to(b).get<int>() == 5);
  CHECK(client.answer_to(drained).is_empty());
  CHECK(client.answer_to(drained).count == 1);
  CHECK(is_over());
  CHECK(ended() == caf::exit_reason::user_shutdown);
}

TEST_CASE_FIXTURE(world, "draining a pipeline that is idle, or has not "
                         "started, ends the pipeline at once") {
  SUBCASE("with a source") {
    spawn(generate(up_to(5)) | noting());
  }
  SUBCASE("without a source") {
    spawn(noting());
  }
  libpool::pipeline::drain(line);
  run();
  CHECK(is_over());
  CHECK(seen.empty());
  libpool::pipeline::drain(line);
}

TEST_CASE_FIXTURE(
  world,
  "a draining pipeline waits for the items that its source was asked for") {
  spawn_pulling();
  libpool::pipeline::drain(line);
  answer(0, 1);
  CHECK(seen == ints{1});
  CHECK_FALSE(is_over());
  answer(1, 2);
  CHECK(seen == ints{1, 2});
  CHECK(source.received() == 2);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(
  world,
  "a client that waits for acceptance is answered when the pipeline drains") {
  options.answer = libpool::answer_when::accepted;
  spawn_by_hand({1});
  client.request(line, 1);
  auto b = client.request(line, 2);
  libpool::pipeline::drain(line);
  CHECK(client.answer_to(b).error() == errc::pool_closed);
  first.answer(0, 1);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(world,
                  "an exit message ends a pipeline with an endless source") {
  auto forever = [i = 0]() mutable { return std::optional<int>{i++}; };
  spawn(generate(forever) | noting());
  for (auto i = 0; i < 30; ++i)
    step();
  CHECK_FALSE(seen.empty());
  finish();
}

} // namespace pipelines_sources_tests

/// Where items come from, and how pipelines end.

#include "support/pipeline_world.hpp"

#include <stdexcept>

namespace pipelines_sources_tests {

using libpool::collect;
using libpool::end_atom;
using libpool::errc;
using libpool::function_stage;
using libpool::generate;
using libpool::pool_stage;
using libpool::pull_from;
using test::numbers_of;
using test::pipeline_world;
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

struct world : pipeline_world {
  auto noting() {
    return collect([this](int x) { seen.push_back(x); });
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "a generator is called until it returns no item") {
  spawn(generate(up_to(20)) | noting());
  CHECK(stats().accepted == 0);
  run();
  CHECK(seen.size() == 20);
  CHECK(is_over());
  CHECK_FALSE(ended());
  CHECK(stats().completed == 20);
  CHECK(stats().most_in_line <= 2);
}

TEST_CASE_FIXTURE(world, "a generator is called for at most as many items as "
                         "the pipeline has room for") {
  auto calls = std::make_shared<int>(0);
  probe only{*this};
  auto count = [calls]() -> std::optional<int> { return ++*calls; };
  spawn(generate<int>(count) | by_hand("only", only, 3));
  run();
  CHECK(*calls == 3);
  CHECK(only.received() == 3);
  only.answer(1, 0);
  run();
  CHECK(*calls == 4);
  CHECK(stats().in_line == 3);
}

TEST_CASE_FIXTURE(world, "a pipeline whose source has no items ends") {
  spawn(generate(up_to(0)) | noting());
  run();
  CHECK(is_over());
  CHECK(seen.empty());
}

TEST_CASE_FIXTURE(world,
                  "a pipeline with a source runs to its end without handles") {
  spawn(generate(up_to(20)) | noting());
  caf::actor_addr address = line.address();
  line = nullptr;
  run();
  CHECK(seen.size() == 20);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

TEST_CASE_FIXTURE(
  world, "a pipeline accepts no more items after its generator has thrown") {
  auto calls = 0;
  auto next = [&calls]() -> std::optional<int> {
    return calls < 5
             ? calls++
             : throw std::runtime_error{"broken" + std::to_string(calls++)};
  };
  spawn(generate(next) | noting());
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

TEST_CASE_FIXTURE(world, "a generator that has thrown is not called again") {
  auto calls = 0;
  auto next = [&calls]() -> std::optional<int> { throw ++calls; };
  libpool::stage_options wide;
  wide.credit = 4;
  spawn(generate(next) | collect([](int) {}, wide));
  run();
  CHECK(calls == 1);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(
  world,
  "a source actor is asked for items until it answers that it has no more") {
  probe source{*this};
  spawn(pull_from<int>(source.handle()) | noting());
  run();
  REQUIRE(source.received() == 2);
  CHECK((source->inbox[0]
           ->content()
           .match_elements<caf::sys_atom, libpool::pull_atom>()));
  source.answer(1, 7);
  run();
  CHECK(seen == ints{7});
  CHECK(source.received() == 3);
  source.answer(1, 7); // a second answer
  source.answer(0, 8);
  run();
  CHECK(seen == ints{7, 8});
  source.answer(2, end_atom{});
  CHECK_FALSE(is_over()); // it was asked for one more
  source.answer(3, 9);
  run();
  CHECK(seen == ints{7, 8, 9});
  CHECK(is_over());
  CHECK_FALSE(ended());
  CHECK(source.exits().empty());
}

TEST_CASE_FIXTURE(world, "a pipeline ends when the actor that is its source "
                         "answers with an empty message") {
  probe source{*this};
  spawn(pull_from<int>(source.handle()) | noting());
  run();
  source.answer(0, caf::message{});
  source.answer(1, caf::message{});
  CHECK(is_over());
  CHECK(source_failures.empty());
}

TEST_CASE_FIXTURE(world,
                  "a source that answers with an error is not asked again") {
  probe source{*this};
  spawn(pull_from<int>(source.handle()) | noting());
  run();
  source.answer(0, 3);
  run();
  source.answer(1, caf::make_error(caf::sec::end_of_stream));
  source.answer(2, caf::make_error(caf::sec::end_of_stream));
  run();
  CHECK(seen == ints{3});
  CHECK(source_failures.size() == 1);
  CHECK(source.received() == 3);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(
  world, "a pipeline ends if its source throws while a request is delivered") {
  probe source{*this};
  source->on_enqueue = [](caf::mailbox_element&) {
    throw std::runtime_error{"no"};
  };
  spawn(pull_from<int>(source.handle()) | noting());
  run();
  CHECK(is_over());
  REQUIRE(source_failures.size() == 1);
  CHECK(words(source_failures[0]) == "the source has failed: no");
  source->on_enqueue = nullptr;
}

TEST_CASE_FIXTURE(
  world,
  "a source that terminates ends the intake, and items in flight continue") {
  probe source{*this};
  probe only{*this};
  spawn(pull_from(source.handle()) | by_hand("only", only, 2) | noting());
  run();
  source.answer(0, 1);
  source.die();
  source.answer(1, 2); // too late
  CHECK(source_failures.size() == 1);
  CHECK_FALSE(is_over());
  only.answer(0, 5);
  run();
  CHECK(seen == ints{5});
  CHECK(is_over());
  CHECK(ended() == errc::source_failed);
}

TEST_CASE_FIXTURE(world, "a pipeline with a source refuses items of clients") {
  probe source{*this};
  spawn(pull_from<int>(source.handle()) | noting());
  run();
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
  probe first{*this};
  probe last{*this};
  std::vector<caf::actor> workers;
  spawn(by_hand("first", first, 2)
        | pool_stage("second", 2,
                     [&] {
                       workers.push_back(system().spawn<test::doubler>());
                       return workers.back();
                     })
        | by_hand("third", last, 2));
  auto is_running = [](const caf::actor& actor) {
    return !caf::actor_cast<caf::abstract_actor*>(actor)->getf(
      caf::abstract_actor::is_terminated_flag);
  };
  auto a = client.request(line, 1);
  auto b = client.request(line, 2);
  auto drained = client.request(line, caf::sys_atom{}, libpool::drain_atom{});
  auto late = client.request(line, 3);
  CHECK(client.answer_to(late).error() == errc::pool_closed);
  first.answer(0, 1);
  run();
  CHECK(numbers_of(last) == ints{2});
  CHECK(is_running(workers[0]));
  first.answer(1, 2);
  run();
  CHECK(numbers_of(last) == ints{2, 4});
  CHECK_FALSE(is_running(workers[0])); // nothing can come there any more
  CHECK_FALSE(is_running(workers[1]));
  CHECK_FALSE(client.answer_to(drained).came());
  last.answer(1, 5);
  last.answer(0, 6);
  CHECK(client.answer_to(a).get<int>() == 6);
  CHECK(client.answer_to(b).get<int>() == 5);
  CHECK(client.answer_to(drained).is_empty());
  CHECK(client.answer_to(drained).count == 1);
  CHECK(is_over());
  CHECK(ended() == caf::exit_reason::user_shutdown);
  workers.clear();
}

TEST_CASE_FIXTURE(world,
                  "draining an idle pipeline ends the pipeline at once") {
  spawn(noting());
  libpool::pipeline::drain(line);
  run();
  CHECK(is_over());
  libpool::pipeline::drain(line);
}

TEST_CASE_FIXTURE(world, "a pipeline that is drained before it has started "
                         "takes no items from its source") {
  spawn(generate(up_to(5)) | noting());
  libpool::pipeline::drain(line);
  run();
  CHECK(is_over());
  CHECK(seen.empty());
}

TEST_CASE_FIXTURE(
  world,
  "a draining pipeline waits for the items that its source was asked for") {
  probe source{*this};
  spawn(pull_from<int>(source.handle()) | noting());
  run();
  libpool::pipeline::drain(line);
  source.answer(0, 1);
  run();
  CHECK(seen == ints{1});
  CHECK_FALSE(is_over());
  source.answer(1, 2);
  run();
  CHECK(seen == ints{1, 2});
  CHECK(source.received() == 2);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(
  world,
  "a client that waits for acceptance is answered when the pipeline drains") {
  probe only{*this};
  options.answer = libpool::answer_when::accepted;
  spawn(by_hand("only", only, 1));
  client.request(line, 1);
  auto b = client.request(line, 2);
  libpool::pipeline::drain(line);
  CHECK(client.answer_to(b).error() == errc::pool_closed);
  only.answer(0, 1);
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

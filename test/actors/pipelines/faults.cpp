/// Pipelines whose stages, clients or users misbehave.

#include "support/managed_world.hpp"
#include "support/pipeline_world.hpp"

namespace pipelines_faults_tests {

using libpool::collect;
using libpool::errc;
using libpool::function_stage;
using libpool::pool_stage;
using libpool::stage_options;
using test::words;
using ints = std::vector<int>;

namespace {

int no_sevens(int x) {
  return x == 7 ? throw std::runtime_error{"a seven"} : x;
}

caf::expected<int> no_eights(int x) {
  if (x == 8)
    return libpool::make_error(errc::worker_failed, "an eight");
  return x;
}

struct world : test::staged_world {
  /// A stage of two workers that double, which goes with the pipeline.
  auto owned() {
    return pool_stage("owned", 2,
                      [this] { return system().spawn<test::doubler>(); });
  }

  auto scripted(std::size_t workers, const test::scripted::script& script) {
    return pool_stage("scripted", workers, [this, script] {
      return system().spawn<test::scripted>(script);
    });
  }

  std::string words_to(std::uint64_t request) {
    return words(client.answer_to(request).error());
  }

  void check_failed(const test::reply& answer) {
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::stage_failed);
  }
};

} // namespace

TEST_CASE_FIXTURE(world, "an item that fails does not affect other items") {
  spawn(function_stage("sevens", no_sevens)
        | function_stage("eights", no_eights)
        | collect([&](int x) { seen.push_back(x == 9 ? throw 9 : x); }));
  auto a = client.request(line, 7);
  auto b = client.request(line, 1);
  run();
  check_failed(client.answer_to(a));
  CHECK(words_to(a) == "stage 'sevens' (1 of 3): the function threw: a seven");
  CHECK(client.answer_to(b).is_empty());
  CHECK(words(client.ask(line, 8).error())
        == "stage 'eights' (2 of 3): an eight");
  CHECK(words(client.ask(line, 9).error())
        == "stage 'collect' (3 of 3): the function threw: an exception that is "
           "not a std::exception");
  CHECK(client.ask(line, 2).is_empty());
  CHECK(seen == ints{1, 2});
  CHECK(stats().failed == 3);
  CHECK(stats().stages.at(1).failed == 1);
  CHECK(failures.empty());
}

TEST_CASE_FIXTURE(world, "on_failed and on_refused get items that no client "
                         "waits for") {
  spawn_by_hand({1});
  client.send(line, 1);
  client.send(line, 2);
  first.answer(0, 1);
  client.send(line, 3);
  libpool::pipeline::drain(line);
  client.send(line, 4);
  first.answer(1, caf::make_error(caf::sec::runtime_error));
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].number == 2);
  CHECK(failures[0].stage == "first");
  CHECK(failures[0].reason == errc::stage_failed);
  REQUIRE(refusals.size() == 2);
  CHECK(refusals[0] == errc::queue_full);
  CHECK(refusals[1] == errc::pool_closed);
  CHECK(stats().refused == 2);
}

TEST_CASE_FIXTURE(
  world,
  "on_failed and on_refused may throw, and may request stats of the pipeline") {
  std::uint64_t failed = 0;
  options.on_failed = [&](const libpool::failed_item&) {
    failed = stats().failed;
    throw 1;
  };
  options.on_refused = [](libpool::refusal&) { throw 1; };
  spawn_by_hand({1});
  client.send(line, 1);
  client.send(line, 2);
  first.answer(0, caf::make_error(caf::sec::runtime_error));
  CHECK(failed == 1);
  auto number = client.request(line, 3);
  first.answer(1, 4);
  CHECK(client.answer_to(number).get<int>() == 4);
  options.on_failed = nullptr;
}

TEST_CASE_FIXTURE(
  world, "an item of a pipeline fails if the worker of a stage crashes") {
  spawn(scripted(2, [](test::scripted&) -> caf::behavior {
    return {[](int x) { return no_sevens(x); }};
  }));
  check_failed(client.ask(line, 7));
  CHECK(client.ask(line, 1).get<int>() == 1);
}

TEST_CASE_FIXTURE(world, "an item that its stage does not take fails, and "
                         "errors and CAF streams are refused") {
  spawn(function_stage("sevens", no_sevens));
  auto answer = client.ask(line, std::string{"seven"});
  check_failed(answer);
  CHECK(words(answer.error()).find("stage 'sevens' (1 of 1): ") == 0);
  CHECK(client.ask(line, caf::make_error(caf::sec::runtime_error)).error()
        == caf::sec::unexpected_message);
  answer = client.ask(line, test::stream_opened_by(client.handle()));
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::no_streams);
  CHECK(client.ask(line, 1).get<int>() == 1);
  CHECK(stats().refused == 2);
}

TEST_CASE_FIXTURE(world, "an item fails if a stage gives it an empty answer, "
                         "or throws on delivery") {
  spawn_by_hand({1, 1});
  auto number = client.request(line, 1);
  first.answer(0, caf::message{});
  CHECK(words_to(number) == "stage 'first' (1 of 2): the answer is empty");
  CHECK(second.received() == 0);
  first->on_enqueue = [](caf::mailbox_element&) {
    throw std::runtime_error{"no"};
  };
  CHECK(words(client.ask(line, 1).error()) == "stage 'first' (1 of 2): no");
  first->on_enqueue = nullptr;
}

TEST_CASE_FIXTURE(world,
                  "the error of a stage states why its pool has failed") {
  for (const auto& policy : {libpool::actor_pool::shared_queue(),
                             libpool::actor_pool::round_robin()}) {
    auto empty = libpool::actor_pool::make(system(), policy);
    spawn(function_stage("sevens", no_sevens) | pool_stage("count", empty));
    auto failed = client.ask(line, 1);
    check_failed(failed);
    CHECK(libpool::render(failed.error(), system())
          == "libpool: a stage of the pipeline failed: stage 'count' (2 of 2): "
             "the pool has no workers");
    finish();
  }
}

TEST_CASE_FIXTURE(
  world,
  "items at a stage, or on arrival there, fail when its pool has ended") {
  spawn_by_hand({2, 2, 1});
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 2; ++i)
    sent.push_back(client.request(line, i));
  first.answer(0, 0);
  first.answer(1, 1);
  second.answer(0, 0); // has gone on
  sent.push_back(client.request(line, 2));
  second.die();
  auto text = "stage 'second' (2 of 3): the actor has ended: ";
  CHECK(words_to(sent[1]).find(text) == 0);
  CHECK(words_to(client.request(line, 3)).find(text) == 0);
  CHECK_FALSE(is_over());
  first.answer(2, 2);
  CHECK(words_to(sent[2]).find(text) == 0);
  CHECK_FALSE(is_over());
  third.answer(0, 5);
  CHECK(client.answer_to(sent[0]).get<int>() == 5);
  CHECK(is_over());
  CHECK(ended() == errc::stage_failed);
  CHECK(words_to(client.request(line, 4)).find(text) == 0);
}

TEST_CASE_FIXTURE(
  world,
  "an item fails, and the pipeline ends, if its stage has already ended") {
  auto dead = system().spawn<test::doubler>();
  stop(dead);
  spawn(pool_stage("dead", dead));
  check_failed(client.ask(line, 1));
  CHECK(is_over());
}

TEST_CASE_FIXTURE(world, "items are answered once when the last worker of a "
                         "stage quits, and the pipeline ends") {
  spawn(function_stage("sevens", no_sevens)
        | scripted(1, [](test::scripted& self) -> caf::behavior {
            return {[&self](int x) {
              self.quit(caf::exit_reason::kill);
              return x;
            }};
          }));
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 2; ++i)
    sent.push_back(client.request(line, i));
  run();
  for (auto each : sent)
    CHECK(client.answer_to(each).count == 1);
  CHECK(is_over());
  CHECK(stats().in_line == 0);
}

TEST_CASE_FIXTURE(world, "an exit message ends a pipeline at once") {
  spawn(by_hand("first", first, 2) | by_hand("second", second, 1) | owned());
  auto a = client.request(line, 1);
  auto b = client.request(line, 2);
  auto drained = client.request(line, caf::sys_atom{}, libpool::drain_atom{});
  first.answer(0, 1);
  caf::anon_send_exit(line, caf::exit_reason::kill);
  CHECK(is_over());
  CHECK(ended() == caf::exit_reason::kill);
  for (auto each : {a, b, drained}) {
    CHECK(client.answer_to(each).count == 1);
    CHECK(client.answer_to(each).error() == caf::sec::request_receiver_down);
  }
  first.answer(1, 1);
  second.answer(0, 1);
  CHECK(first.exits().empty()); // was there before
  CHECK(client.ask(line, 1).error() == caf::sec::request_receiver_down);
  CHECK(stats().cancelled == 2);
}

TEST_CASE_FIXTURE(
  world, "a pipeline without handles ends when all its items have ended") {
  spawn(by_hand("first", first, 2) | owned()
        | function_stage("sevens", no_sevens));
  auto a = client.request(line, 1);
  caf::actor_addr address = line.address();
  line = nullptr;
  run();
  CHECK_FALSE(is_gone(address));
  first.answer(0, 4);
  first->inbox.clear();
  run();
  CHECK(client.answer_to(a).get<int>() == 8);
  client->inbox.clear();
  CHECK(is_gone(address));
}

TEST_CASE_FIXTURE(
  world,
  "a request that a stage drops fails when no actor can answer it any more") {
  spawn(by_hand("first", first, 3) | by_hand("second", second, 1) | owned());
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 3; ++i)
    sent.push_back(client.request(line, i));
  first.answer(0, 0);
  first.answer(1, 0);
  line = nullptr;
  first->inbox.clear();
  CHECK_FALSE(client.answer_to(sent[0]).came());
  second->inbox.clear();
  auto dropped = " of 3): the actor dropped the request";
  CHECK(words_to(sent[0]) == std::string{"stage 'second' (2"} + dropped);
  CHECK(words_to(sent[1]) == std::string{"stage 'second' (2"} + dropped);
  CHECK(words_to(sent[2]) == std::string{"stage 'first' (1"} + dropped);
  CHECK(client.received() == 3);
}

TEST_CASE_FIXTURE(world, "a pipeline whose handles are released does not "
                         "resend requests that a stage has dropped") {
  spawn_by_hand({1, 1, 1});
  for (auto i : {0, 1, 2}) {
    client.request(line, i);
    first.answer(static_cast<std::size_t>(i), i);
    if (i < 2)
      second.answer(static_cast<std::size_t>(i), i);
  }
  REQUIRE(second.received() == 2);
  line = nullptr;
  for (auto& each : {first, second, third})
    each->inbox.clear();
  CHECK(client.received() == 3);
  CHECK(first.received() + second.received() + third.received() == 0);
}

TEST_CASE_FIXTURE(world, "a pipeline ignores a forged down message") {
  spawn_by_hand({1});
  client.send(line, caf::down_msg{first->address(), caf::exit_reason::kill});
  CHECK_FALSE(is_over());
  CHECK(stats().accepted == 0);
}

TEST_CASE_FIXTURE(world, "making a stage or a pipeline throws if a plan, an "
                         "option or a handle is invalid") {
  auto make = [&] { return system().spawn<test::doubler>(); };
  auto rejects = [](const std::string& words, const auto& f) {
    CAPTURE(words);
    std::string said;
    try {
      f();
    } catch (const std::invalid_argument& e) {
      said = e.what();
    }
    CAPTURE(said);
    CHECK(said.find(words) != std::string::npos);
  };
  auto stage = function_stage("f", no_sevens);
  rejects("stage 'f': credit must be between 1 and 1000000, got 0",
          [] { function_stage("f", no_sevens, stage_options{0}); });
  rejects("stage 'f': workers must be at least 1, got 0", [] {
    function_stage("f", no_sevens, stage_options{{}, 0});
  });
  rejects("the name of a stage must not be empty",
          [] { function_stage("", no_sevens); });
  rejects("workers", [&] { pool_stage("p", 0, make); });
  rejects("the handle is invalid", [] { pool_stage("p", caf::actor{}); });
  rejects("the handle is invalid", [] { libpool::pull_from(caf::actor{}); });
  rejects("at least 1 stage", [&] {
    libpool::spawn_pipeline(
      system(), libpool::generate([] { return std::optional<int>{}; }));
  });
  libpool::pipeline_options too_many;
  too_many.max_waiting = 1'000'001;
  rejects("max_waiting must be at most 1000000, got 1000001",
          [&] { libpool::spawn_pipeline(system(), stage, too_many); });
  auto failing = []() -> caf::actor { throw std::invalid_argument{"none"}; };
  rejects("none", [&] {
    spawn(stage | pool_stage("p", 2, make) | pool_stage("q", 1, failing));
  });
  auto other = make();
  rejects("not a pipeline", [&] { libpool::pipeline::stats(other); });
  rejects("not a pipeline", [] { libpool::pipeline::drain(caf::actor{}); });
}

} // namespace pipelines_faults_tests

/// Pipelines whose stages, clients or users misbehave.

#include "support/pipeline_world.hpp"

#include <stdexcept>

using libpool::collect;
using libpool::errc;
using libpool::function_stage;
using libpool::pool_stage;
using libpool::stage_options;
using test::pipeline_world;
using test::probe;
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

caf::actor spawn_doubler(caf::actor_system& system) {
  return system.spawn<test::doubler>();
}

} // namespace

TEST_CASE_FIXTURE(pipeline_world,
                  "an item that fails does not affect other items") {
  spawn(function_stage("sevens", no_sevens)
        | function_stage("eights", no_eights)
        | collect([&](int x) { seen.push_back(x == 9 ? throw 9 : x); }));
  auto a = client.request(line, 7);
  auto b = client.request(line, 1);
  run();
  CHECK(client.answer_to(a).error() == errc::stage_failed);
  CHECK(words(client.answer_to(a).error())
        == "stage 'sevens' (1 of 3): the function threw: a seven");
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

TEST_CASE_FIXTURE(pipeline_world,
                  "on_failed gets failed items that no client waits for") {
  spawn(function_stage("sevens", no_sevens));
  client.send(line, 1);
  run();
  client.send(line, 7);
  run();
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].number == 2);
  CHECK(failures[0].stage == "sevens");
  CHECK(failures[0].reason == errc::stage_failed);
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "an item of a pipeline fails if the worker of a stage crashes") {
  spawn(pool_stage("shaky", 2, [this] {
    return system().spawn(
      [](caf::event_based_actor* self, int) {
        self->set_exception_handler(
          [](caf::scheduled_actor*, std::exception_ptr&) {
            return caf::error{caf::sec::runtime_error};
          });
        return caf::behavior{[](int x) { return no_sevens(x); }};
      },
      0);
  }));
  auto failed = client.ask(line, 7);
  CHECK(failed.count == 1);
  CHECK(failed.error() == errc::stage_failed);
  CHECK(client.ask(line, 1).get<int>() == 1);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "an item of a type that its stage does not take fails") {
  spawn(function_stage("sevens", no_sevens));
  auto failed = client.ask(line, std::string{"seven"});
  CHECK(failed.count == 1);
  CHECK(failed.error() == errc::stage_failed);
  CHECK(words(failed.error()).find("stage 'sevens' (1 of 1): ") == 0);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "an error that is sent as an item is refused") {
  spawn(function_stage("sevens", no_sevens));
  CHECK(client.ask(line, caf::make_error(caf::sec::runtime_error)).error()
        == caf::sec::unexpected_message);
  CHECK(client.ask(line, 1).get<int>() == 1);
  CHECK(stats().refused == 1);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "an item fails if a stage gives it an empty answer") {
  probe first{*this};
  probe second{*this};
  spawn(by_hand("first", first, 1) | by_hand("second", second, 1));
  auto number = client.request(line, 1);
  first.answer(0, caf::message{});
  CHECK(words(client.answer_to(number).error())
        == "stage 'first' (1 of 2): the answer is empty");
  CHECK(second.received() == 0);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "the error of a stage without workers states that") {
  for (const auto& policy : {libpool::actor_pool::shared_queue(),
                             libpool::actor_pool::round_robin()}) {
    auto empty = libpool::actor_pool::make(system(), policy);
    spawn(function_stage("sevens", no_sevens) | pool_stage("count", empty));
    auto failed = client.ask(line, 1);
    CHECK(failed.count == 1);
    CHECK(failed.error() == errc::stage_failed);
    CHECK(words(failed.error())
          == "stage 'count' (2 of 2): the pool has no workers");
    finish();
  }
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "items at a stage, or on arrival there, fail when its pool has ended") {
  probe first{*this};
  probe second{*this};
  probe third{*this};
  spawn(by_hand("first", first, 2) | by_hand("second", second, 2)
        | by_hand("third", third, 1));
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 2; ++i)
    sent.push_back(client.request(line, i));
  first.answer(0, 0);
  first.answer(1, 1);
  second.answer(0, 0); // has gone on
  sent.push_back(client.request(line, 2));
  second.die();
  auto text = "stage 'second' (2 of 3): the actor has ended: ";
  CHECK(words(client.answer_to(sent[1]).error()).find(text) == 0);
  auto late = client.request(line, 3);
  CHECK(words(client.answer_to(late).error()).find(text) == 0);
  CHECK_FALSE(is_over());
  first.answer(2, 2);
  CHECK(words(client.answer_to(sent[2]).error()).find(text) == 0);
  CHECK_FALSE(is_over());
  third.answer(0, 5);
  CHECK(client.answer_to(sent[0]).get<int>() == 5);
  CHECK(is_over());
  CHECK(ended() == errc::stage_failed);
  late = client.request(line, 4);
  CHECK(words(client.answer_to(late).error()).find(text) == 0);
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "an item fails, and the pipeline ends, if its stage has already ended") {
  auto dead = spawn_doubler(system());
  caf::anon_send_exit(dead, caf::exit_reason::kill);
  run();
  spawn(pool_stage("dead", dead));
  CHECK(client.ask(line, 1).error() == errc::stage_failed);
  CHECK(is_over());
}

TEST_CASE_FIXTURE(pipeline_world,
                  "items are answered once when the last worker of a stage "
                  "quits, and the pipeline ends") {
  spawn(function_stage("sevens", no_sevens) | pool_stage("last", 1, [this] {
          return system().spawn(
            [](caf::event_based_actor* self, int) {
              return caf::behavior{[self](int x) {
                self->quit(caf::exit_reason::kill);
                return x;
              }};
            },
            0);
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

TEST_CASE_FIXTURE(pipeline_world, "an exit message ends a pipeline at once") {
  probe first{*this};
  probe second{*this};
  spawn(by_hand("first", first, 2) | by_hand("second", second, 1)
        | pool_stage("owned", 2, [this] { return spawn_doubler(system()); }));
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
  pipeline_world,
  "a pipeline without handles ends when all its items have ended") {
  probe first{*this};
  spawn(by_hand("first", first, 2)
        | pool_stage("owned", 2, [this] { return spawn_doubler(system()); })
        | function_stage("sevens", no_sevens));
  auto a = client.request(line, 1);
  caf::actor_addr address = line.address();
  line = nullptr;
  run();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) != nullptr);
  first.answer(0, 4);
  first->inbox.clear();
  run();
  CHECK(client.answer_to(a).get<int>() == 8);
  client->inbox.clear();
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(address) == nullptr);
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "a request that a stage drops fails when no actor can answer it any more") {
  probe first{*this};
  probe second{*this};
  spawn(by_hand("first", first, 3) | by_hand("second", second, 1)
        | pool_stage("owned", 2, [this] { return spawn_doubler(system()); }));
  std::vector<std::uint64_t> sent;
  for (auto i = 0; i < 3; ++i)
    sent.push_back(client.request(line, i));
  first.answer(0, 0);
  first.answer(1, 0);
  line = nullptr;
  first->inbox.clear();
  CHECK_FALSE(client.answer_to(sent[0]).came());
  second->inbox.clear();
  CHECK(words(client.answer_to(sent[0]).error())
        == "stage 'second' (2 of 3): the actor dropped the request");
  CHECK(words(client.answer_to(sent[1]).error())
        == "stage 'second' (2 of 3): the actor dropped the request");
  CHECK(words(client.answer_to(sent[2]).error())
        == "stage 'first' (1 of 3): the actor dropped the request");
  CHECK(client.received() == 3);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "a pipeline whose handles are released does not resend "
                  "requests that a stage has dropped") {
  probe first{*this};
  probe second{*this};
  probe third{*this};
  spawn(by_hand("first", first, 1) | by_hand("second", second, 1)
        | by_hand("third", third, 1));
  for (auto i = 0; i < 3; ++i) {
    client.request(line, i);
    first.answer(static_cast<std::size_t>(i), i);
    if (i < 2)
      second.answer(static_cast<std::size_t>(i), i);
  }
  REQUIRE(second.received() == 2);
  line = nullptr;
  first->inbox.clear();
  second->inbox.clear();
  third->inbox.clear();
  CHECK(client.received() == 3);
  CHECK(first.received() + second.received() + third.received() == 0);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "a pipeline refuses requests that open a CAF stream") {
  spawn(function_stage("sevens", no_sevens));
  auto number = client.request(line, test::stream_opened_by(client.handle()));
  run();
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::no_streams);
}

TEST_CASE_FIXTURE(pipeline_world, "a pipeline ignores a forged down message") {
  probe only{*this};
  spawn(by_hand("only", only, 1));
  client.send(line,
              caf::down_msg{only.handle().address(), caf::exit_reason::kill});
  CHECK_FALSE(is_over());
  CHECK(stats().accepted == 0);
}

TEST_CASE_FIXTURE(pipeline_world,
                  "on_refused gets refused items that no client waits for") {
  probe only{*this};
  spawn(by_hand("only", only, 1));
  client.send(line, 1);
  client.send(line, 2);
  libpool::pipeline::drain(line);
  client.send(line, 3);
  REQUIRE(refusals.size() == 2);
  CHECK(refusals[0] == errc::queue_full);
  CHECK(refusals[1] == errc::pool_closed);
  CHECK(stats().refused == 2);
}

TEST_CASE_FIXTURE(
  pipeline_world,
  "on_failed and on_refused may throw, and may request stats of the pipeline") {
  probe only{*this};
  std::uint64_t failed = 0;
  options.on_failed = [&](const libpool::failed_item&) {
    failed = stats().failed;
    throw 1;
  };
  options.on_refused = [](libpool::refusal&) { throw 1; };
  spawn(by_hand("only", only, 1));
  client.send(line, 1);
  client.send(line, 2);
  only.answer(0, caf::make_error(caf::sec::runtime_error));
  CHECK(failed == 1);
  auto number = client.request(line, 3);
  only.answer(1, 4);
  CHECK(client.answer_to(number).get<int>() == 4);
  options.on_failed = nullptr;
}

TEST_CASE_FIXTURE(pipeline_world,
                  "an item fails if its stage throws on delivery") {
  probe only{*this};
  only->on_enqueue = [](caf::mailbox_element&) {
    throw std::runtime_error{"no"};
  };
  spawn(by_hand("only", only, 1));
  CHECK(words(client.ask(line, 1).error()) == "stage 'only' (1 of 1): no");
  only->on_enqueue = nullptr;
}

TEST_CASE("making a stage or a pipeline throws if a plan, an option or a "
          "handle is invalid") {
  test::hand_cranked world;
  auto& system = world.system();
  auto make = [&] { return spawn_doubler(system); };
  auto rejects = [](auto f, const std::string& words) {
    try {
      f();
    } catch (const std::invalid_argument& e) {
      CAPTURE(e.what());
      return std::string{e.what()}.find(words) != std::string::npos;
    }
    return false;
  };
  CHECK(rejects([&] { function_stage("f", no_sevens, stage_options{0}); },
                "stage 'f': credit must be between 1 and 1000000, got 0"));
  CHECK(rejects(
    [&] {
      function_stage("f", no_sevens, stage_options{{}, 0});
    },
    "stage 'f': workers must be at least 1, got 0"));
  CHECK(rejects([&] { function_stage("", no_sevens); },
                "the name of a stage must not be empty"));
  CHECK(rejects([&] { pool_stage("p", 0, make); }, "workers"));
  CHECK(
    rejects([&] { pool_stage("p", caf::actor{}); }, "the handle is invalid"));
  CHECK(rejects([&] { libpool::pull_from(caf::actor{}); },
                "the handle is invalid"));
  CHECK(rejects(
    [&] {
      libpool::spawn_pipeline(
        system, libpool::generate([] { return std::optional<int>{}; }));
    },
    "at least 1 stage"));
  libpool::pipeline_options options;
  options.max_waiting = 1'000'001;
  CHECK(rejects(
    [&] {
      libpool::spawn_pipeline(system, function_stage("f", no_sevens), options);
    },
    "max_waiting must be at most 1000000, got 1000001"));
  auto failing = [&]() -> caf::actor { throw std::invalid_argument{"none"}; };
  CHECK(rejects(
    [&] {
      libpool::spawn_pipeline(system, function_stage("f", no_sevens)
                                        | pool_stage("p", 2, make)
                                        | pool_stage("q", 1, failing));
    },
    "none"));
  auto other = make();
  CHECK(rejects([&] { libpool::pipeline::stats(other); }, "not a pipeline"));
  CHECK(
    rejects([&] { libpool::pipeline::drain(caf::actor{}); }, "not a pipeline"));
}

TEST_CASE_FIXTURE(pipeline_world,
                  "the error of a stage states why its pool has failed") {
  auto empty = libpool::actor_pool::make(system(),
                                         libpool::actor_pool::round_robin());
  spawn(libpool::pool_stage("empty", empty));
  CHECK(libpool::render(client.ask(line, 1).error(), system())
        == "libpool: a stage of the pipeline failed: stage 'empty' (1 of 1): "
           "the pool "
           "has no workers");
}

/// How a node's agent has tasks run.

#include "support/agent_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace agent_tasks_tests {

/// Cannot be written.
struct local_note {
  int text = 0;
};

} // namespace agent_tasks_tests

LIBPOOL_TEST_MESSAGE_TYPE(1, agent_tasks_tests::local_note)

namespace agent_tasks_tests {

using libpool::ending;
using libpool::errc;
using test::scripted;
using namespace std::chrono_literals;

namespace {

struct world : test::agent_world {
  /// Has the workers that were the first to promise answer.
  void answer_first(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      caf::anon_send(caf::actor{holders.at(i)}, caf::ok_atom{}, i, 7);
    run();
  }
};

/// Crashes at the number 13.
scripted::script superstitious() {
  return [](scripted&) -> caf::behavior {
    return {[](int x) {
      if (x == 13)
        test::crash();
      return 2 * x;
    }};
  };
}

/// Answers with things that are no numbers.
scripted::script strange() {
  return [](scripted&) -> caf::behavior {
    return {
      [](int x) -> caf::result<caf::message> {
        if (x > 0)
          return caf::make_message(local_note{x});
        return caf::make_error(caf::sec::bad_function_call);
      },
      [](const std::string&) {},
    };
  };
}

} // namespace

TEST_CASE_FIXTURE(world, "tasks run, and their answers are sent back") {
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  sends({3, 5});
  heard();
  CHECK(*seen == std::vector<int>{3, 5});
  CHECK(results.at(3).how == ending::completed);
  CHECK(results.at(3).number() == 6);
  CHECK(results.at(5).number() == 10);
  CHECK(state().done == 2);
  CHECK(state().running == 0);
  CHECK(state().waiting == 0);
}

TEST_CASE_FIXTURE(world, "tasks occupy at most all slots, and the next task "
                         "starts when one has ended") {
  join.slots = 2;
  join.pool.workers = 4;
  serve(promising());
  sends({1, 2, 3, 4});
  CHECK(promises.size() == 2);
  CHECK(state().running == 2);
  CHECK(state().waiting == 2);
  deliver(1, 7);
  CHECK(promises.size() == 3);
  CHECK(state().running == 2);
  pass(1ms);
  heard();
  CHECK(results.at(2).number() == 7);
}

TEST_CASE_FIXTURE(world,
                  "the default number of slots is the number of workers") {
  join.slots = 0;
  join.pool.workers = 3;
  serve(promising());
  sends({1, 2, 3, 4});
  CHECK(state().running == 3);
}

TEST_CASE_FIXTURE(world,
                  "results of short tasks are sent together, up to a portion") {
  join.slots = 6;
  join.portion = 3;
  serve(promising());
  sends({1, 2, 3, 4, 5, 6});
  heard();
  answer_first(5);
  auto words = heard();
  CHECK(words.find("done(1,2,3) ") != std::string::npos);
  CHECK(words.find("done(4") == std::string::npos);
  pass(1ms);
  CHECK(heard().find("done(4,5) ") != std::string::npos);
}

TEST_CASE_FIXTURE(world,
                  "results of tasks that are not short are not collected") {
  join.slots = 3;
  serve(promising());
  sends({1, 2, 3});
  heard();
  pass(1ms);
  answer_first(2);
  auto words = heard();
  CHECK(words.find("done(1) ") != std::string::npos);
  CHECK(words.find("done(2) ") != std::string::npos);
}

TEST_CASE_FIXTURE(world, "after a machine was suspended for three quarters of "
                         "a lease, no task starts until a beat is answered") {
  join.slots = 1;
  serve(promising());
  sends({1, 2});
  heard();
  slept = 3s; // of which the clock that wakes knows nothing
  deliver(0, 7);
  CHECK(promises.size() == 1);
  CHECK(state().waiting == 1);
  CHECK(heard().find("beat ") != std::string::npos);
  CHECK(results.at(1).number() == 7);
  echo();
  CHECK(promises.size() == 2);
}

TEST_CASE_FIXTURE(
  world,
  "no task starts after the lease has run out, until a beat is answered") {
  join.slots = 1;
  serve(promising());
  sends({1, 2, 3});
  advance(2'999ms);
  deliver(0, 7);
  CHECK(promises.size() == 2);
  advance(1ms);
  deliver(1, 8);
  CHECK(promises.size() == 2);
  CHECK(state().waiting == 1);
  CHECK(state().running == 0);
  heard();
  CHECK(results.at(1).number() == 7);
  CHECK(results.at(2).number() == 8);
  advance(20s);
  CHECK(promises.size() == 2);
  echo();
  CHECK(promises.size() == 3);
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world, "the answer to an old beat prolongs the lease only "
                         "from the time of the beat") {
  join.slots = 1;
  serve(promising());
  advance(2s);
  heard();
  advance(2s); // later beats are not heard by the pool
  lose_said();
  echo();
  advance(999ms);
  sends({1});
  CHECK(promises.size() == 1);
  deliver(0, 7);
  advance(1ms);
  sends({2});
  CHECK(promises.size() == 1);
  CHECK(state().waiting == 1);
}

TEST_CASE_FIXTURE(world, "the end of a session drops waiting tasks, and "
                         "discards the results of running tasks") {
  serve(promising());
  sends({1, 2, 3, 4});
  heard();
  end_session();
  CHECK(state().waiting == 0);
  CHECK(state().running == 2);
  CHECK(heard() == "hello(2) ");
  welcome();
  sends({5});
  CHECK(promises.size() == 2);
  deliver(0, 7);
  CHECK(promises.size() == 3);
  deliver(2, 9);
  heard();
  CHECK(results.count(1) == 0);
  CHECK(results.at(5).number() == 9);
}

TEST_CASE_FIXTURE(world, "the end of a session discards results that have not "
                         "been sent") {
  join.slots = 1;
  join.credit = 1024;
  auto text = std::string(600, 'x');
  serve([text](scripted&) -> caf::behavior {
    return {[text](int) { return text; }};
  });
  sends({1, 2, 3});
  heard();
  CHECK(results.size() == 1);
  CHECK(state().done == 3);
  end_session();
  welcome();
  tell(libpool::receipt{5'000});
  heard();
  CHECK(results.size() == 1);
}

TEST_CASE_FIXTURE(
  world,
  "the result of an older session is not used for a task of the same number") {
  serve(promising());
  sends({1});
  heard();
  end_session();
  welcome();
  sends({1});
  CHECK(promises.size() == 1);
  deliver(0, 7);
  REQUIRE(promises.size() == 2);
  deliver(1, 8);
  heard();
  CHECK(results.at(1).number() == 8);
  CHECK(tellings.at(1) == 1);
}

TEST_CASE_FIXTURE(world, "a task that has not started is given back when the "
                         "pool requests it, and does not run") {
  join.slots = 1;
  serve(promising());
  sends({1, 2, 3});
  heard();
  tell(libpool::ask_back{1});
  CHECK(heard() == "given_back_as_asked(3) ");
  CHECK(state().waiting == 1);
  deliver(0, 7);
  deliver(1, 7);
  CHECK(promises.size() == 2);
}

// -- messages that are lost ---------------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "tasks run while the line is down, and their results are sent once when it "
  "is up") {
  serve(promising());
  sends({1, 2, 3});
  heard();
  go_down();
  pass(1ms);
  deliver(0, 7);
  deliver(1, 8);
  CHECK(state().done == 2);
  CHECK(promises.size() == 3);
  CHECK(heard().empty());
  come_up();
  heard();
  CHECK(results.at(1).number() == 7);
  CHECK(results.at(2).number() == 8);
  deliver(2, 9);
  advance(1s);
  heard();
  for (auto each : {1, 2, 3})
    CHECK(tellings.at(each) == 1);
  CHECK(repeated == 0);
}

TEST_CASE_FIXTURE(world,
                  "a lost result is repeated before later results are sent") {
  serve(promising());
  sends({1, 2, 3});
  heard();
  pass(1ms);
  deliver(0, 7);
  lose_said();
  deliver(1, 8);
  auto words = heard();
  auto first = words.find("done(1) ");
  auto second = words.find("done(2) ");
  REQUIRE(second != std::string::npos);
  CHECK(first < second);
  CHECK(tellings.at(1) == 1);
  CHECK(tellings.at(2) == 1);
}

TEST_CASE_FIXTURE(world, "results whose receipt is lost are not sent again "
                         "unless the pool requests them") {
  serve(promising());
  sends({1});
  heard();
  deliver(0, 7);
  heard();
  go_down();
  come_up();
  advance(1s);
  CHECK(heard() == "beat beat ");
  CHECK(repeated == 0);
}

TEST_CASE_FIXTURE(world, "tasks that are lost on the line run in order after "
                         "the agent has requested them again") {
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  line->is_up = false; // which the agent does not notice
  sends({1});
  sends({2});
  line->is_up = true;
  SUBCASE("because of later tasks") {
    sends({3});
  }
  SUBCASE("because of a beat") {
    advance(1s);
    echo();
    sends({3});
  }
  CHECK(seen->empty());
  CHECK(heard().find("resend ") != std::string::npos);
  CHECK(*seen == std::vector<int>{1, 2, 3});
  CHECK(state().strays == 0);
}

TEST_CASE_FIXTURE(world, "a message batch that arrives twice counts once") {
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  sends({1});
  sends({2});
  // The agent has acknowledged nothing that the pool has heard of.
  stream.stream().repeat(
    [this](const libpool::stream_mark& mark, const std::string& batch) {
      send_bytes(libpool::bytes_of(libpool::envelope{epoch, mark}) + batch);
    });
  heard();
  CHECK(*seen == std::vector<int>{1, 2});
  CHECK(state().done == 2);
  CHECK(state().strays == 0);
}

// -- results ------------------------------------------------------------------

TEST_CASE_FIXTURE(
  world, "results wait while too many bytes of results are in flight") {
  join.slots = 1;
  join.credit = 1024;
  auto text = std::string(400, 'x');
  serve([text](scripted&) -> caf::behavior {
    return {[text](int) { return text; }};
  });
  sends({1, 2, 3, 4, 5});
  heard();
  CHECK(results.size() == 2);
  tell(libpool::receipt{500});
  heard();
  CHECK(results.size() == 3);
  tell(libpool::receipt{5'000});
  heard();
  CHECK(results.size() == 5);
}

// -- results that are no answers ----------------------------------------------

TEST_CASE_FIXTURE(
  world,
  "a task that crashes its worker fails, and others run on the replacement") {
  join.slots = 1;
  join.pool.restart.max = 5;
  serve(superstitious());
  sends({13, 4});
  advance(100ms);
  heard();
  CHECK(results.at(13).how == ending::crashed);
  CHECK(results.at(13).error() == errc::worker_crashed);
  CHECK(results.at(4).how == ending::completed);
  CHECK(results.at(4).number() == 8);
}

TEST_CASE_FIXTURE(
  world, "a task that uses up the retries of the local pool has crashed") {
  join.slots = 1;
  join.pool.restart.max = 5;
  join.pool.on_crash = libpool::retry{1};
  serve(superstitious());
  sends({13});
  advance(1s);
  heard();
  CHECK(results.at(13).how == ending::crashed);
  CHECK(results.at(13).error() == errc::retries_exhausted);
}

TEST_CASE_FIXTURE(world,
                  "a handler that answers with an error has completed its "
                  "task") {
  serve(strange());
  sends({0});
  heard();
  CHECK(results.at(0).how == ending::completed);
  CHECK(results.at(0).error() == caf::sec::bad_function_call);
}

TEST_CASE_FIXTURE(world, "a handler's answer with an error code of libpool "
                         "completes the task, and the agent continues") {
  serve([](scripted&) -> caf::behavior {
    return {[](int x) -> caf::result<int> {
      if (x == 1)
        return libpool::make_error(errc::worker_crashed);
      return libpool::make_error(errc::pool_closed);
    }};
  });
  sends({1, 2});
  heard();
  CHECK(results.at(1).how == ending::completed);
  CHECK(results.at(1).error() == errc::worker_crashed);
  CHECK(results.at(2).how == ending::completed);
  CHECK(results.at(2).error() == errc::pool_closed);
  CHECK(state().session == 1);
}

TEST_CASE_FIXTURE(world,
                  "an answer that cannot be serialised becomes an error") {
  serve(strange());
  sends({1});
  heard();
  CHECK(results.at(1).how == ending::completed);
  CHECK(results.at(1).error() == errc::not_serializable);
}

TEST_CASE_FIXTURE(world, "a task completes if its handler has no result") {
  serve(strange());
  send_packed({{1, packed_content(std::string{"go"})}});
  heard();
  CHECK(results.at(1).how == ending::completed);
  CHECK(!results.at(1).error());
}

TEST_CASE_FIXTURE(world, "a task whose content cannot be read is returned with "
                         "the reason, and not handled") {
  auto seen = std::make_shared<std::vector<int>>();
  serve(test::doubling(seen));
  send_packed({{1, "\xff\xff\xff"}, {2, ""}, {3, packed_content(3)}});
  auto words = heard();
  CHECK(words.find("unread(1) ") != std::string::npos);
  CHECK(words.find("unread(2) ") != std::string::npos);
  CHECK(results.at(3).number() == 6);
  CHECK(*seen == std::vector<int>{3});
}

TEST_CASE_FIXTURE(
  world, "content that resembles a management request is handled by a worker") {
  serve([](scripted&) -> caf::behavior {
    return {[](caf::sys_atom, caf::get_atom) { return 17; }};
  });
  send_packed(
    {{1, std::get<std::string>(libpool::pack(
           system(), caf::make_message(caf::sys_atom{}, caf::get_atom{})))}});
  heard();
  CHECK(results.at(1).number() == 17);
}

} // namespace agent_tasks_tests

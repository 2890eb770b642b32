#include "support/split_join_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace split_join_failures_tests {

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using libpool::worker_tasks;
using test::append;
using test::doubler;
using test::hand_cranked;
using test::numbers;
using test::one_per_worker;
using test::probe;
using world = test::split_join_world;

TEST_CASE_FIXTURE(
  world,
  "an error of a worker fails the request at once, and names the worker") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  ws[0].answer(0, 10);
  ws[1].answer(0, caf::make_error(caf::sec::invalid_argument));
  auto answer = client.answer_to(number);
  CHECK(answer.error() == errc::worker_failed);
  CHECK(text(answer).find(name(1)) != std::string::npos);
  CHECK(text(answer).find("invalid_argument") != std::string::npos);
  ws[2].answer(0, 12);
  CHECK(client.answer_to(number).count == 1);
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(
  world,
  "the end of a worker fails the request at once, and names the worker") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  SUBCASE("by a kill") {
    ws[1].die(caf::exit_reason::kill);
  }
  SUBCASE("for a normal reason") {
    ws[1].die(caf::exit_reason::normal);
  }
  auto answer = client.answer_to(number);
  CHECK(answer.error() == errc::worker_crashed);
  CHECK(text(answer).find(name(1)) != std::string::npos);
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(
  world, "a worker that terminates after its answer has completed its part") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, 10);
  ws[0].die();
  CHECK_FALSE(client.answer_to(number).came());
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
}

TEST_CASE_FIXTURE(
  world, "a worker that takes too long fails the request, and is named") {
  gather_options options;
  options.timeout = 10ms;
  auto pool = joining(options);
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, 10);
  advance(9ms);
  CHECK_FALSE(client.answer_to(number).came());
  advance(1ms);
  auto answer = client.answer_to(number);
  CHECK(answer.error() == errc::timeout);
  CHECK(text(answer).find(name(1)) != std::string::npos);
  CHECK(text(answer).find(name(0)) == std::string::npos);
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(world, "an answer before the timeout stops the timer") {
  gather_options options;
  options.timeout = 10ms;
  auto pool = joining(options);
  auto number = client.request(pool, numbers{1, 0, 0});
  ws[0].answer(0, 10);
  CHECK(collector_is_gone(pool, 0)); // the clock does not keep it
  advance(20ms);
  CHECK(client.answer_to(number).count == 0); // inbox was cleared; nothing new
}

TEST_CASE_FIXTURE(world, "a split_join request fails at once when the last "
                         "worker that could still answer drops it") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].answer(0, 10);
  ws[0]->inbox.clear();
  CHECK_FALSE(client.answer_to(number).came());
  ws[1]->inbox.clear(); // and with it the last worker that could answer
  auto answer = client.answer_to(number);
  CHECK(answer.count == 1);
  CHECK(answer.error() == errc::worker_failed);
  CHECK(text(answer).find(name(1)) != std::string::npos);
}

TEST_CASE_FIXTURE(
  world,
  "with join_what_came, the answer joins the results that arrived in time") {
  gather_options options;
  options.timeout = 10ms;
  options.join_what_came = true;
  auto pool = joining(options);
  auto number = client.request(pool, numbers{1, 1, 1});
  SUBCASE("an error, a terminated worker and a result") {
    ws[0].answer(0, caf::make_error(caf::sec::runtime_error));
    ws[1].die();
    CHECK_FALSE(client.answer_to(number).came());
    ws[2].answer(0, 12);
    CHECK(client.answer_to(number).get<numbers>() == numbers{12});
  }
  SUBCASE("a worker takes too long") {
    ws[2].answer(0, 12);
    ws[1].answer(0, 11);
    advance(10ms);
    CHECK(client.answer_to(number).get<numbers>() == numbers{12, 11});
    ws[0].answer(0, 10);
  }
  SUBCASE("no result") {
    for (auto& w : ws)
      w.answer(0, caf::make_error(caf::sec::runtime_error));
    auto answer = client.answer_to(number);
    CHECK(answer.error() == errc::too_few_answers);
    CHECK(libpool::errors_in(answer.error()).size() == 3);
  }
  CHECK(client.answer_to(number).count == 1);
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(world, "a request fails if split or join throws") {
  auto bad_join = [](numbers&, caf::message&) {
    throw std::runtime_error{"cannot join"};
  };
  auto pool =
    pool_with(actor_pool::split_join<numbers>(bad_join, one_per_worker));
  auto joined = client.request(pool, numbers{1, 1, 1});
  ws[0].answer(0, 10);
  CHECK(client.answer_to(joined).error() == errc::policy_failed);
  CHECK(text(client.answer_to(joined)).find("cannot join")
        != std::string::npos);
  ws[1].answer(0, 11);
  CHECK(client.answer_to(joined).count == 1);
  // one_per_worker wants as many numbers as there are workers
  CHECK(client.ask(pool, numbers{1}).error() == errc::policy_failed);
}

TEST_CASE_FIXTURE(world,
                  "a client that has terminated leaves no collector behind") {
  auto pool = joining();
  {
    probe hasty{*this};
    hasty.request(pool, numbers{1, 1, 0});
    hasty.die();
  }
  ws[0].answer(0, 10);
  SUBCASE("when all workers answer") {
    ws[1].answer(0, 11);
  }
  SUBCASE("when a worker fails") {
    ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  }
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(
  world,
  "an asynchronous message is answered with a result, but not with an error") {
  auto pool = joining();
  client.send(pool, numbers{1, 0, 0});
  ws[0].answer(0, 10);
  REQUIRE(client.received() == 1);
  CHECK(libpool::content_of(*client->inbox[0]).match_elements<numbers>());
  client.send(pool, numbers{1, 0, 0});
  ws[0].answer(1, caf::make_error(caf::sec::runtime_error));
  CHECK(client.received() == 1);
  caf::anon_send(pool, numbers{1, 0, 0});
  ws[0].answer(2, 12); // to no client
  CHECK(client.received() == 1);
}

TEST_CASE_FIXTURE(world, "split_join keeps the priority of a message") {
  auto pool = joining();
  caf::actor_cast<caf::abstract_actor*>(pool)->enqueue(
    libpool::make_element(client.pointer(),
                          caf::make_message_id<caf::message_priority::high>(5),
                          numbers{1, 0, 0}),
    nullptr);
  REQUIRE(ws[0].received() == 1);
  CHECK(ws[0]->inbox[0]->is_high_priority());
}

TEST_CASE("split_join joins all results, in random interleavings, and an exit "
          "message ends pool and workers") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    hand_cranked w{seed};
    probe client{w};
    auto none = w.running();
    auto sum = [](int& to, caf::message& x) { to += x.get_as<int>(0); };
    auto pool = actor_pool::make(
      w.system(), 5, [&w] { return w.system().spawn<doubler>(); },
      actor_pool::split_join<int>(sum));
    std::vector<std::uint64_t> requests;
    for (auto i = 0; i < 20; ++i)
      requests.push_back(client.request(pool, i));
    w.run();
    for (auto i = 0; i < 20; ++i)
      CHECK(client.answer_to(requests[static_cast<std::size_t>(i)]).get<int>()
            == 5 * 2 * i);
    CHECK(client.ask(pool, std::string{"no handler"}).error()
          == errc::worker_failed);
    CHECK(w.running() == none + 6);
    client.send(pool, caf::exit_msg{pool.address(), caf::exit_reason::kill});
    w.run();
    CHECK(w.running() == none);
  }
}

TEST_CASE_FIXTURE(
  world, "results of workers that answer immediately are joined in order") {
  auto pool = joining();
  for (auto& w : ws)
    w->on_enqueue = [&w](caf::mailbox_element& element) {
      if (libpool::content_of(element).match_elements<int>())
        element.sender->enqueue(
          libpool::make_element(w.pointer(), element.mid.response_id(),
                                libpool::content_of(element).get_as<int>(0)),
          nullptr);
    };
  auto answer = client.ask(pool, numbers{5, 6, 7});
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>() == numbers{5, 6, 7});
}

TEST_CASE_FIXTURE(world,
                  "a request is not answered before all its tasks are sent") {
  auto pool = joining();
  ws[0]->on_enqueue = [&](caf::mailbox_element& element) {
    if (libpool::content_of(element).match_elements<int>())
      element.sender->enqueue(
        libpool::make_element(ws[0].pointer(), element.mid.response_id(),
                              caf::make_error(caf::sec::runtime_error)),
        nullptr);
  };
  auto early = client.received();
  ws[2]->on_enqueue = [&](caf::mailbox_element& element) {
    if (libpool::content_of(element).match_elements<int>())
      early += client.received();
  };
  auto number = client.request(pool, numbers{1, 1, 1});
  CHECK(early == 0);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  CHECK(collector_is_gone(pool, 0));
}

TEST_CASE_FIXTURE(world,
                  "a collector ignores messages other than expected answers") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 0, 0});
  auto collector = caf::actor_cast<caf::actor>(ws[0]->inbox[0]->sender);
  probe{*this}.send(collector, 66); // no worker
  ws[1].send(collector, 67);        // a worker without a task
  ws[1].send(collector, std::string{"what?"});
  caf::actor_cast<caf::abstract_actor*>(collector)->enqueue(
    libpool::make_element(ws[0].pointer(),
                          caf::make_message_id(99).response_id(), 68),
    nullptr);
  CHECK_FALSE(client.answer_to(number).came());
  ws[0].answer(0, 10);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10});
}

TEST_CASE_FIXTURE(world, "a request fails if a worker that got two tasks of "
                         "the request crashes after one answer") {
  auto twice = [](worker_tasks& tasks, caf::message& message) {
    auto first = tasks.front().first;
    tasks.assign(2, {first, message});
  };
  auto pool = pool_with(actor_pool::split_join<numbers>(append, twice));
  auto number = client.request(pool, 1);
  REQUIRE(ws[0].received() == 2);
  ws[0].answer(0, 10);
  ws[0].die();
  CHECK(client.answer_to(number).error() == errc::worker_crashed);
}

TEST_CASE_FIXTURE(world, "a join may throw any type") {
  auto bad_join = [](numbers&, caf::message&) { throw 42; };
  auto pool =
    pool_with(actor_pool::split_join<numbers>(bad_join, one_per_worker));
  auto number = client.request(pool, numbers{1, 0, 0});
  ws[0].answer(0, 10);
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::policy_failed);
}

TEST_CASE_FIXTURE(world, "a copy of a split_join policy keeps its options") {
  gather_options options;
  options.join_what_came = true;
  const auto how = actor_pool::split_join<numbers>(append, one_per_worker,
                                                   numbers{}, options);
  auto pool = pool_with(how);
  auto number = client.request(pool, numbers{1, 1, 0});
  ws[0].die();
  ws[1].answer(0, 11);
  CHECK(client.answer_to(number).get<numbers>() == numbers{11});
}

TEST_CASE_FIXTURE(world, "the error names all workers that took too long") {
  gather_options options;
  options.timeout = 10ms;
  auto pool = joining(options);
  auto number = client.request(pool, numbers{1, 1, 1});
  ws[1].answer(0, 10);
  advance(10ms);
  CHECK(text(client.answer_to(number)).find(name(0) + ", " + name(2))
        != std::string::npos);
}

TEST_CASE_FIXTURE(
  world, "workers hold no reference to a collector whose request has ended") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  auto collector = ws[0]->inbox[0]->sender->address();
  ws[0].answer(0, 10);
  ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  REQUIRE(client.answer_to(number).came());
  auto* answered_by = client->inbox[0]->sender.get();
  CHECK(answered_by == collector.get());
  for (auto& w : ws)
    w->inbox.clear();
  client->inbox.clear();
  CHECK(collector.get()->weak_refs == 1); // ours
}

TEST_CASE_FIXTURE(
  world, "a task of split_join is not urgent if its message is not urgent") {
  auto pool = joining();
  client.request(pool, numbers{1, 0, 0});
  REQUIRE(ws[0].received() == 1);
  CHECK_FALSE(ws[0]->inbox[0]->is_high_priority());
}

} // namespace split_join_failures_tests

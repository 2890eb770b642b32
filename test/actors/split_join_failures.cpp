#include "support/brittle.hpp"
#include "support/direct_world.hpp"

namespace split_join_failures_tests {

using namespace std::chrono_literals;
using caf::exit_reason;
using libpool::actor_pool;
using libpool::errc;
using libpool::gather_options;
using libpool::worker_tasks;
using test::append;
using test::direct_world;
using test::doubler;
using test::numbers;
using test::one_per_worker;
using test::probe;

namespace {

struct world : direct_world {
  bool names(std::uint64_t request, const std::string& words) {
    return text(client.answer_to(request)).find(words) != std::string::npos;
  }

  /// Has the worker answer its tasks at once: with `result`, or the task.
  void answer_at_once(probe& worker, const caf::error& result = {}) {
    worker->on_enqueue = [&worker, result](caf::mailbox_element& task) {
      if (libpool::content_of(task).match_elements<int>())
        task.sender->enqueue(
          libpool::make_element(worker.pointer(), task.mid.response_id(),
                                result ? caf::make_message(result)
                                       : test::copy_of_content(task)),
          nullptr);
    };
  }
};

gather_options within(std::chrono::nanoseconds timeout) {
  gather_options result;
  result.timeout = timeout;
  return result;
}

} // namespace

TEST_CASE_FIXTURE(world, "a worker that fails, ends or drops its part fails "
                         "the request at once, and is named") {
  auto expected = errc::worker_crashed;
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  auto joined_by = collector(0).address();
  ws[0].answer(0, 10);
  SUBCASE("with an error") {
    expected = errc::worker_failed;
    ws[1].answer(0, caf::make_error(caf::sec::invalid_argument));
    CHECK(names(number, "invalid_argument"));
    ws[2].answer(0, 12);
  }
  SUBCASE("by a kill") {
    ws[1].die(exit_reason::kill);
  }
  SUBCASE("for a normal reason") {
    ws[1].die(exit_reason::normal);
  }
  SUBCASE("by a drop of the last task") {
    expected = errc::worker_failed;
    ws[2].answer(0, 12);
    ws[0]->inbox.clear();
    ws[2]->inbox.clear();
    CHECK_FALSE(client.answer_to(number).came());
    ws[1]->inbox.clear(); // and with it the last worker that could answer
  }
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == expected);
  CHECK(names(number, name(1)));
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(world, "workers that take too long fail the request, and the "
                         "error names all of them") {
  auto pool = joining(within(10ms));
  auto number = client.request(pool, numbers{1, 1, 1});
  auto joined_by = collector(0).address();
  ws[1].answer(0, 10);
  advance(9ms);
  CHECK_FALSE(client.answer_to(number).came());
  advance(1ms);
  CHECK(client.answer_to(number).error() == errc::timeout);
  CHECK(names(number, name(0) + ", " + name(2)));
  CHECK_FALSE(names(number, name(1)));
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(world, "an answer before the timeout stops the timer") {
  auto pool = joining(within(10ms));
  client.request(pool, numbers{1, 0, 0});
  auto joined_by = collector(0).address();
  ws[0].answer(0, 10);
  CHECK(goes_with(pool, joined_by)); // the clock does not keep it
  advance(20ms);
  CHECK(client.received() == 0);
}

TEST_CASE_FIXTURE(
  world, "an earlier inner time-out fails the request to the outer pool once") {
  auto inside = joining(within(10ms));
  auto pool = actor_pool::make(
    system(), 1, [&] { return inside; },
    actor_pool::split_join<numbers>(append, libpool::detail::split_to_all{},
                                    numbers{}, within(20ms)));
  auto number = client.request(pool, numbers{1, 1, 1});
  advance(12ms);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  advance(20ms);
  CHECK(client.answer_to(number).count == 1);
}

TEST_CASE_FIXTURE(world, "the longest possible time-out never expires") {
  auto pool = joining(within(std::chrono::nanoseconds::max()));
  auto number = client.request(pool, numbers{1, 0, 0});
  advance(1h);
  CHECK_FALSE(client.answer_to(number).came());
  ws[0].answer(0, 10);
  CHECK(client.answer_to(number).came());
}

TEST_CASE_FIXTURE(
  world,
  "with join_what_came, the answer joins the results that arrived in time") {
  auto options = within(10ms);
  options.join_what_came = true;
  const auto how = actor_pool::split_join<numbers>(append, one_per_worker,
                                                   numbers{}, options);
  auto pool = pool_with(how); // a copy keeps the options
  auto number = client.request(pool, numbers{1, 1, 1});
  auto joined_by = collector(0).address();
  auto failed = caf::make_error(caf::sec::runtime_error);
  SUBCASE("an error, a terminated worker and a result") {
    ws[0].answer(0, failed);
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
      w.answer(0, failed);
    auto error = client.answer_to(number).error();
    CHECK(error == errc::too_few_answers);
    CHECK(libpool::errors_in(error).size() == 3);
  }
  CHECK(client.answer_to(number).count == 1);
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(world, "a request fails if join throws anything") {
  auto is_exception = true;
  auto bad_join = [&](numbers&, caf::message&) {
    if (is_exception)
      throw std::runtime_error{"cannot join"};
    throw 42;
  };
  auto pool =
    pool_with(actor_pool::split_join<numbers>(bad_join, one_per_worker));
  for (auto i : {0U, 1U}) {
    is_exception = i == 0;
    auto number = client.request(pool, numbers{1, 1, 1});
    ws[0].answer(i, 10);
    CHECK(client.answer_to(number).error() == errc::policy_failed);
    CHECK(names(number, "cannot join") == is_exception);
    ws[1].answer(i, 11);
    CHECK(client.answer_to(number).count == 1);
  }
}

TEST_CASE_FIXTURE(world, "a request fails if the result cannot be copied") {
  auto join = [](test::brittle&, caf::message&) {
    test::brittle::breaks = true;
  };
  auto pool = pool_with(actor_pool::split_join<test::brittle>(join));
  auto number = client.request(pool, 1);
  for (auto& w : ws)
    w.answer(0, 10);
  test::brittle::breaks = false;
  CHECK(client.answer_to(number).count == 1);
  CHECK(client.answer_to(number).error() == errc::policy_failed);
}

TEST_CASE_FIXTURE(world,
                  "on_refused gets the whole message if it cannot be split") {
  std::vector<libpool::refusal> refused;
  libpool::pool_options options;
  options.on_refused = [&](libpool::refusal& r) {
    refused.push_back(std::move(r));
  };
  auto split = [](worker_tasks&, caf::message&) {
    throw std::runtime_error{"too big"};
  };
  auto pool = pool_with(actor_pool::split_join<numbers>(append, split),
                        options);
  client.send(pool, 42);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].content.match_elements<int>());
  CHECK(refused[0].content.get_as<int>(0) == 42);
}

TEST_CASE_FIXTURE(world,
                  "a client that has terminated leaves no collector behind") {
  auto pool = joining();
  {
    probe hasty{*this};
    hasty.request(pool, numbers{1, 1, 0});
    hasty.die();
  }
  auto joined_by = collector(0).address();
  ws[0].answer(0, 10);
  SUBCASE("when all workers answer") {
    ws[1].answer(0, 11);
  }
  SUBCASE("when a worker fails") {
    ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  }
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(world, "an actor that monitors a collector is notified when "
                         "the collector ends") {
  auto pool = joining();
  client.request(pool, numbers{1, 1, 0});
  auto ended = false;
  collector(0)->attach_functor([&ended] { ended = true; });
  SUBCASE("with its pool") {
    ws[0].answer(0, 10);
    ws[1].answer(0, 11);
    forget();
    CHECK_FALSE(ended); // it may serve another message
    stop(std::exchange(pool, nullptr));
  }
  SUBCASE("because the workers drop all requests") {
    forget();
  }
  CHECK(ended);
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
  caf::anon_send(pool, numbers{1, 0, 0});
  ws[0].answer(2, 12); // to no client
  CHECK(client.received() == 1);
}

TEST_CASE_FIXTURE(world, "split_join keeps the priority of a message") {
  auto pool = joining();
  client.send_as(caf::make_message_id<caf::message_priority::high>(5), pool,
                 numbers{1, 0, 0});
  client.request(pool, numbers{1, 0, 0});
  REQUIRE(ws[0].received() == 2);
  CHECK(ws[0]->inbox[0]->is_high_priority());
  CHECK_FALSE(ws[0]->inbox[1]->is_high_priority());
}

TEST_CASE("split_join joins all results, in random interleavings, and an exit "
          "message ends pool and workers") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    test::hand_cranked w{seed};
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
    for (std::size_t i = 0; i < requests.size(); ++i)
      CHECK(client.answer_to(requests[i]).get<std::int32_t>()
            == 5 * 2 * static_cast<int>(i));
    CHECK(client.ask(pool, std::string{"no handler"}).error()
          == errc::worker_failed);
    CHECK(w.running() == none + 6);
    client.send(pool, caf::exit_msg{pool.address(), exit_reason::kill});
    w.run();
    CHECK(w.running() == none);
  }
}

TEST_CASE_FIXTURE(
  world, "results of workers that answer immediately are joined in order") {
  auto pool = joining();
  for (auto& w : ws)
    answer_at_once(w);
  auto answer = client.ask(pool, numbers{5, 6, 7});
  CHECK(answer.count == 1);
  CHECK(answer.get<numbers>() == numbers{5, 6, 7});
}

TEST_CASE_FIXTURE(world,
                  "a request is not answered before all its tasks are sent") {
  auto pool = joining();
  answer_at_once(ws[0], caf::sec::runtime_error);
  auto early = client.received();
  ws[2]->on_enqueue = [&](caf::mailbox_element&) {
    early += client.received();
  };
  auto number = client.request(pool, numbers{1, 1, 1});
  CHECK(early == 0);
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  auto joined_by = collector(0).address();
  CHECK(goes_with(pool, joined_by));
}

TEST_CASE_FIXTURE(world,
                  "a collector ignores messages other than expected answers") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 0, 0});
  probe{*this}.send(collector(0), 66); // no worker
  ws[1].send(collector(0), 67);        // a worker without a task
  ws[1].send(collector(0), std::string{"what?"});
  ws[0].send_as(caf::make_message_id(99).response_id(), collector(0), 68);
  CHECK_FALSE(client.answer_to(number).came());
  ws[0].answer(0, 10);
  CHECK(client.answer_to(number).get<numbers>() == numbers{10});
}

TEST_CASE_FIXTURE(world, "if split gives two parts of a message to one worker, "
                         "the worker owes two results") {
  auto twice = [](worker_tasks& tasks, caf::message& message) {
    auto first = tasks.front().first;
    tasks.assign(2, {first, message});
    tasks.emplace_back(caf::actor{}, message); // and no worker a third
  };
  auto pool = pool_with(actor_pool::split_join<numbers>(append, twice));
  auto number = client.request(pool, 1);
  REQUIRE(ws[0].received() == 2);
  ws[0].send(collector(0), 10);
  SUBCASE("two results are joined") {
    ws[0].send(collector(0), 11);
    CHECK(client.answer_to(number).get<numbers>() == numbers{10, 11});
  }
  SUBCASE("the request fails if the worker crashes after one") {
    ws[0].die();
    CHECK(client.answer_to(number).error() == errc::worker_crashed);
  }
}

TEST_CASE_FIXTURE(
  world, "workers hold no reference to a collector whose request has ended") {
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  auto joined_by = collector(0).address();
  ws[0].answer(0, 10);
  ws[1].answer(0, caf::make_error(caf::sec::runtime_error));
  REQUIRE(client.answer_to(number).came());
  CHECK(client->inbox[0]->sender.get() == joined_by.get());
  forget();
  CHECK(joined_by.get()->weak_refs == 1); // ours
}

TEST_CASE_FIXTURE(world, "a worker that throws on delivery fails the request") {
  ws[1]->on_enqueue = [](caf::mailbox_element&) {
    throw std::runtime_error{"no mailbox"};
  };
  for (auto& how : {actor_pool::round_robin(), actor_pool::random(1),
                    actor_pool::broadcast()}) {
    auto pool = pool_of({ws[1]}, how);
    auto answer = client.ask(pool, 1);
    CHECK(answer.count == 1);
    CHECK(answer.error() == errc::policy_failed);
    client.send(pool, 1);
    CHECK(actor_pool::stats(pool).refused == 2);
  }
  auto pool = joining();
  auto number = client.request(pool, numbers{1, 1, 1});
  CHECK(client.answer_to(number).error() == errc::worker_failed);
  for (auto& w : ws)
    w->inbox.clear();
  CHECK(client.answer_to(number).count == 1);
}

} // namespace split_join_failures_tests

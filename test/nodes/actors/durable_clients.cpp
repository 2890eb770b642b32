/// Clients that submit their messages to a durable queue.

#include "libpool/actors/distributed.hpp"
#include "libpool/nodes/actors/task_result.hpp"
#include "libpool/pool.hpp"
#include "support/listed_queue.hpp"
#include "support/nodes_world.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace actors_nodes_durable_clients_tests {

using libpool::errc;
using libpool::outcome;
using namespace std::chrono_literals;

namespace {

struct world : test::nodes_world {
  ~world() {
    finish();
  }

  void make_client(const libpool::detail::submission_terms& terms) {
    pool = libpool::actor_pool::make(
      system(), libpool::actor_pool::shared_queue(options));
    libpool::detail::submit_to_queue(pool, terms, queue.for_client());
    queue.client->came_up();
    run();
  }

  libpool::detail::submission_terms by_number() {
    libpool::detail::submission_terms terms;
    terms.patience = 10s;
    terms.id_of = [](const libpool::message_content& content) {
      return "n" + std::to_string(content.get_as<int>(0));
    };
    return terms;
  }

  void answer(const std::string& id, int x) {
    auto result = std::make_shared<std::string>(
      libpool::bytes_of_answer(system(), caf::make_message(x)));
    queue.client->answered(id, {result, *result});
    run();
  }

  void accept(const std::string& id) {
    queue.client->accepted(id);
    run();
  }

  test::listed_queue queue;
};

} // namespace

TEST_CASE_FIXTURE(world,
                  "requests with the same id are submitted once, and get the "
                  "same result; an asynchronous message ends when the durable "
                  "queue has stored it") {
  make_client(by_number());
  auto first = client.request(pool, 1);
  auto second = client.request(pool, 1);
  client.send(pool, 2);
  run();
  CHECK(queue.submitted.size() == 2);
  accept("n1");
  CHECK(count(outcome::completed) == 0);
  accept("n2");
  CHECK(count(outcome::completed) == 1);
  CHECK(queue.forgotten == std::vector<std::string>{"n2"});
  CHECK(!client.answer_to(first).came());
  answer("n1", 7);
  CHECK(client.answer_to(first).get<int>() == 7);
  CHECK(client.answer_to(second).get<int>() == 7);
  CHECK(count(outcome::completed) == 3);
}

TEST_CASE_FIXTURE(world,
                  "a request that the durable queue has not stored fails "
                  "when the client is out of patience") {
  make_client(by_number());
  auto stored = submit(1);
  accept("n1");
  auto open = submit(2);
  queue.client->went_down("the server is down");
  run();
  wait(9s);
  CHECK(!client.answer_to(open).came());
  wait(2s);
  CHECK(client.answer_to(open).error() == errc::not_connected);
  CHECK(!client.answer_to(stored).came());
  queue.client->came_up();
  answer("n1", 7);
  CHECK(client.answer_to(stored).get<int>() == 7);
}

TEST_CASE_FIXTURE(world, "a request whose deadline has passed leaves its place "
                         "to the next one") {
  options.deadline = 1s;
  auto terms = by_number();
  terms.most_open = 1;
  make_client(terms);
  auto late = submit(1);
  accept("n1");
  wait(2s);
  CHECK(client.answer_to(late).error() == errc::deadline_exceeded);
  auto next = submit(2);
  answer("n2", 7);
  CHECK(client.answer_to(next).get<int>() == 7);
}

TEST_CASE_FIXTURE(world,
                  "requests fail whose content or id cannot be made, and "
                  "further ones do not") {
  auto terms = by_number();
  terms.id_of = [](const libpool::message_content& content) -> std::string {
    if (content.get_as<int>(0) == 13)
      throw std::runtime_error("no");
    return "id";
  };
  queue.most = 1100;
  make_client(terms);
  auto bad = client.request(pool, 13);
  auto large = client.request(pool, 1, std::string(200, 'x'));
  auto good = submit(1);
  CHECK(client.answer_to(bad).error() == errc::policy_failed);
  CHECK(client.answer_to(large).error() == errc::too_large);
  answer("id", 7);
  CHECK(client.answer_to(good).get<int>() == 7);
}

TEST_CASE_FIXTURE(world,
                  "a durable client leaves the queue when nothing refers "
                  "to its pool") {
  make_client(by_number());
  auto open = submit(1);
  pool = nullptr;
  run();
  answer("n1", 7);
  CHECK(client.answer_to(open).get<int>() == 7);
  client->inbox.clear(); // the answer refers to the pool
  CHECK(queue.clients == 0);
}

TEST_CASE_FIXTURE(world, "a durable client leaves the queue when its pool has "
                         "removed it") {
  make_client(by_number());
  client.ask(pool, caf::sys_atom{}, caf::delete_atom{});
  CHECK(queue.clients == 0);
}

TEST_CASE_FIXTURE(world, "the requests of a durable client are answered when "
                         "the client ends") {
  SUBCASE("and sees each answer") {
    options.on_crash = libpool::retry{1};
  }
  SUBCASE("and does not see answers") {
    options.on_crash = libpool::fail{};
  }
  make_client(by_number());
  auto open = submit(1);
  end_pool();
  CHECK(client.answer_to(open).error() == errc::pool_closed);
}

} // namespace actors_nodes_durable_clients_tests

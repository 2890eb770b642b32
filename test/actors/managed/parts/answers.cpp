/// The answers and reports of a managed pool when a task is not completed.

#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/error.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using libpool::answers;
using libpool::decision;
using libpool::errc;
using libpool::managed_task;
using libpool::outcome;
using libpool::reply_interceptor;
using namespace std::chrono_literals;

namespace {

/// Counts how often an interceptor has told.
class counting_owner final : public libpool::interceptor_owner {
public:
  void answered(const std::shared_ptr<reply_interceptor>&,
                libpool::execution_context*) override {
    ++told;
  }

  int told = 0;
};

struct answers_world : test::hand_cranked {
  answers make() {
    return {pool.handle.get(), owner, options, refusals};
  }

  /// A message of the client's: a request if it has an id.
  caf::mailbox_element_ptr message(std::uint64_t id = 0) {
    return libpool::make_element(
      client.handle, id == 0 ? caf::make_message_id() : request_id(id), 42);
  }

  static caf::message_id request_id(std::uint64_t id) {
    return caf::make_message_id(id);
  }

  /// The error that the client was answered with, if that was its only message.
  caf::error answered_error() {
    REQUIRE(client->received.size() == 1);
    auto& content = client->received[0].content;
    return content.match_elements<caf::error>() ? content.get_as<caf::error>(0)
                                                : caf::error{};
  }

  static decision settled(managed_task& task, outcome how, errc why) {
    return {decision::kind::settle, &task, nullptr, how, why};
  }

  test::stub pool{system()};
  test::stub client{system()};
  counting_owner owner;
  libpool::managed_options options;
  libpool::pool_options refusals;
};

} // namespace

// -- messages -----------------------------------------------------------------

TEST_CASE_FIXTURE(answers_world, "a request for a change of the workers is "
                                 "answered with an empty message on success") {
  make().confirm(*message(7), {}, nullptr);
  REQUIRE(client->received.size() == 1);
  CHECK(client->received[0].content.empty());
  CHECK(client->received[0].id == request_id(7).response_id());
}

TEST_CASE_FIXTURE(answers_world,
                  "a change without a requester is not confirmed") {
  make().confirm(*message(), {}, nullptr);
  CHECK(client->received.empty());
}

TEST_CASE_FIXTURE(answers_world,
                  "a failed change is answered with the reason") {
  make().confirm(*message(7), errc::cycle, nullptr);
  CHECK(answered_error() == errc::cycle);
}

TEST_CASE_FIXTURE(
  answers_world,
  "a refused request is answered, and not passed to on_refused") {
  auto told = 0;
  refusals.on_refused = [&](libpool::refusal&) { ++told; };
  make().refuse(*message(7), errc::queue_full, nullptr);
  CHECK(answered_error() == errc::queue_full);
  CHECK(told == 0);
}

TEST_CASE_FIXTURE(answers_world,
                  "a refused asynchronous message is passed to on_refused") {
  std::vector<caf::error> told;
  refusals.on_refused = [&](libpool::refusal& refused) {
    told.push_back(refused.reason);
    CHECK(refused.sender == client.handle);
    CHECK(refused.content.get_as<int>(0) == 42);
    throw std::runtime_error{"is ignored"};
  };
  make().refuse(*message(), errc::queue_full, nullptr);
  REQUIRE(told.size() == 1);
  CHECK(told[0] == errc::queue_full);
  CHECK(client->received.empty());
}

// -- clients ------------------------------------------------------------------

TEST_CASE_FIXTURE(
  answers_world,
  "the client is found in the message while the task has its message") {
  managed_task task;
  task.is_request = true;
  task.element = message(7);
  make().tell_client(task, settled(task, outcome::cancelled, errc::cycle),
                     errc::cycle, nullptr);
  CHECK(answered_error() == errc::cycle);
}

TEST_CASE_FIXTURE(
  answers_world,
  "the client is found in the task when the task has lost its message") {
  managed_task task;
  task.is_request = true;
  task.client = client.handle;
  task.id = request_id(7);
  make().tell_client(task, settled(task, outcome::failed, errc::worker_crashed),
                     errc::worker_crashed, nullptr);
  CHECK(answered_error() == errc::worker_crashed);
}

TEST_CASE_FIXTURE(
  answers_world,
  "a client gets one answer if its reply is intercepted and arrives late") {
  managed_task task;
  task.is_request = true;
  task.element = message(7);
  auto by = make();
  by.intercept(task, {client.handle, request_id(7)}, false);
  CHECK(task.interceptor->task == &task);
  CHECK(task.element->sender != client.handle);
  auto why = settled(task, outcome::cancelled, errc::deadline_exceeded);
  by.tell_client(task, why, errc::deadline_exceeded, nullptr);
  by.tell_client(task, why, errc::deadline_exceeded, nullptr);
  CHECK(answered_error() == errc::deadline_exceeded);
  task.element->sender->enqueue( // the worker answers in vain
    libpool::make_element(nullptr, request_id(7).response_id(), 1), nullptr);
  CHECK(client->received.size() == 1);
  CHECK(owner.told == 1);
}

TEST_CASE_FIXTURE(answers_world,
                  "an intercepted reply is passed on to the client") {
  managed_task task;
  task.element = message(7);
  make().intercept(task, {client.handle, request_id(7)}, false);
  task.element->sender->enqueue(
    libpool::make_element(nullptr, request_id(7).response_id(), 1), nullptr);
  REQUIRE(client->received.size() == 1);
  CHECK(client->received[0].content.get_as<int>(0) == 1);
}

TEST_CASE_FIXTURE(
  answers_world,
  "an interceptor takes the place of the client of a task without a message") {
  managed_task task;
  make().intercept(task, {client.handle, request_id(7)}, false);
  CHECK(task.client != nullptr);
  CHECK(task.client != client.handle);
}

TEST_CASE_FIXTURE(
  answers_world,
  "a task whose message is not from an outer pool is settled by this pool") {
  managed_task task;
  task.element = message();
  auto by = settled(task, outcome::refused, errc::queue_full);
  CHECK(answers::tell_outer(task, by, errc::queue_full)
        == answers::outer_message::settled);
}

// -- on_settled ---------------------------------------------------------------

TEST_CASE_FIXTURE(answers_world, "on_settled gets the number, the outcome, the "
                                 "client and the times of a task") {
  std::vector<libpool::settled_task> told;
  options.on_settled = [&](const libpool::settled_task& each) {
    told.push_back(each);
    throw std::runtime_error{"is ignored"};
  };
  auto by = make();
  CHECK(by.tells_settled());
  managed_task task;
  task.number = 3;
  task.asker = client.handle;
  task.asked = request_id(7);
  task.accepted = libpool::instant{1ns};
  task.started = libpool::instant{2ns};
  task.steals = 4;
  by.tell_settled(task, settled(task, outcome::failed, errc::worker_crashed),
                  errc::worker_crashed, libpool::instant{5ns});
  REQUIRE(told.size() == 1);
  CHECK(told[0].number == 3);
  CHECK(told[0].how == outcome::failed);
  CHECK(told[0].reason == errc::worker_crashed);
  CHECK(told[0].client == client.handle);
  CHECK(told[0].id == request_id(7));
  CHECK(told[0].accepted == libpool::instant{1ns});
  CHECK(told[0].started == libpool::instant{2ns});
  CHECK(told[0].settled == libpool::instant{5ns});
  CHECK(told[0].steals == 4);
}

TEST_CASE_FIXTURE(answers_world,
                  "on_settled gets the task number 0 for a refused task") {
  std::uint64_t number = 1;
  options.on_settled = [&](const libpool::settled_task& each) {
    number = each.number;
  };
  managed_task task;
  task.number = 3;
  make().tell_settled(task, settled(task, outcome::refused, errc::queue_full),
                      errc::queue_full, {});
  CHECK(number == 0);
}

// -- errors -------------------------------------------------------------------

namespace {

const std::string no_problem;

std::string words(const caf::error& why) {
  return why.context().empty() ? "" : why.context().get_as<std::string>(0);
}

struct error_world {
  caf::error of(outcome how, errc why,
                const std::string& problem = no_problem) {
    return libpool::error_of(task,
                             {decision::kind::settle, &task, nullptr, how, why},
                             {has_ended, problem});
  }

  managed_task task;
  bool has_ended = false;
};

} // namespace

TEST_CASE_FIXTURE(error_world,
                  "a pool that has ended answers like any actor that is down") {
  CHECK(of(outcome::refused, errc::pool_closed) == errc::pool_closed);
  has_ended = true;
  CHECK(of(outcome::refused, errc::pool_closed)
        == caf::sec::request_receiver_down);
  CHECK(of(outcome::cancelled, errc::pool_closed) == errc::pool_closed);
}

TEST_CASE_FIXTURE(error_world,
                  "the error about a crash, a failed policy or too few workers "
                  "contains the text recorded for the task") {
  task.crash = "because";
  CHECK(words(of(outcome::failed, errc::worker_crashed)) == "because");
  CHECK(words(of(outcome::refused, errc::policy_failed)) == "because");
  CHECK(words(of(outcome::refused, errc::too_few_workers)) == "because");
  CHECK(words(of(outcome::cancelled, errc::deadline_exceeded)) != "because");
}

TEST_CASE_FIXTURE(
  error_world,
  "the error of a task whose workers have left states that, except for parts") {
  auto* said = "all workers that may run the task have left";
  CHECK(words(of(outcome::cancelled, errc::worker_down)) == said);
  libpool::gather message;
  task.gather = &message;
  CHECK(words(of(outcome::cancelled, errc::worker_down)) != said);
}

TEST_CASE_FIXTURE(
  error_world,
  "the error of a pool without workers states why its factory failed") {
  std::string problem = "no memory";
  CHECK(words(of(outcome::cancelled, errc::no_workers, problem)) == problem);
  CHECK(of(outcome::cancelled, errc::no_workers) == errc::no_workers);
}

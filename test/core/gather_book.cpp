/// Workers that are asked to handle one message.

#include "libpool/core/gather_book.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

using libpool::errc;
using libpool::gather;
using libpool::gather_book;
using libpool::gather_decision;
using libpool::gather_worker;
using libpool::instant;
using libpool::scatter;
using kind = libpool::gather_decision::kind;
using in_state = libpool::task::condition;
using worker_state = libpool::worker::condition;
using namespace std::chrono_literals;

namespace {

constexpr instant start{1s};

/// A plan that does what its members say.
struct scripted_plan final : libpool::gather_plan {
  scatter choice;
  std::optional<libpool::duration> delay;
  int budget = 100;
  std::vector<libpool::duration> answers;

  std::unique_ptr<gather_plan> clone() const override {
    throw std::logic_error{"not used"};
  }

  std::unique_ptr<libpool::gather_votes> make_votes() const override {
    throw std::logic_error{"not used"};
  }

  scatter asks() const noexcept override {
    return choice;
  }

  bool has_patience() const noexcept override {
    return delay.has_value();
  }

  std::optional<libpool::duration> patience() const noexcept override {
    return delay;
  }

  void first_answered(libpool::duration time) noexcept override {
    answers.push_back(time);
  }

  bool may_ask_another() const noexcept override {
    return budget > 0;
  }

  void asked_another() noexcept override {
    --budget;
  }
};

struct message_task : libpool::task, libpool::gather_part {};

/// A pool of four workers, and messages.
struct book_world {
  std::shared_ptr<scripted_plan> plan = std::make_shared<scripted_plan>();
  std::deque<message_task> tasks; // numbered over all messages
  std::deque<gather_worker> workers;
  gather_book::worker_list serving;
  std::deque<gather> messages;
  std::unique_ptr<gather_book> book;

  book_world() {
    for (auto i = 0; i < 4; ++i)
      add();
  }

  gather_worker& add() {
    auto& result = workers.emplace_back();
    result.number = libpool::worker_number{workers.size() - 1};
    result.alone.only.push_back(result.number);
    result.is = worker_state::serving;
    serving.push_back(&result);
    return result;
  }

  void make(const scatter& choice,
            std::optional<libpool::duration> delay = std::nullopt) {
    plan->choice = choice;
    plan->delay = delay;
    book = std::make_unique<gather_book>(plan, [this] { return serving; });
  }

  void make(scatter::target to, std::size_t asked = 1, bool asks_more = false) {
    make({to, asked, 1, asks_more, true});
  }

  /// The pool hedges after 10 ms.
  void make_hedging() {
    make({}, 10ms);
  }

  /// Begins a message, and makes its tasks.
  gather& begin() {
    gather_book::worker_list asked;
    REQUIRE(book->choose(asked) == errc{});
    auto& result = messages.emplace_back();
    book->began(result, asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
      add_task(result, i, asked[i]);
    return result;
  }

  message_task& add_task(gather& message, std::size_t number,
                         gather_worker* worker) {
    auto& result = tasks.emplace_back();
    gather_book::made(message, result, result, number, worker);
    result.is = in_state::waiting;
    return result;
  }

  /// Carries the decision out, and returns the task with the number.
  message_task& carry_out(const gather_decision& by) {
    if (by.is == kind::ask)
      return add_task(by.message, by.number, by.worker);
    auto& task = static_cast<message_task&>(*by.task);
    if (by.is != kind::move)
      task.is = in_state::unknown;
    return by.is == kind::replace ? add_task(by.message, by.number, by.worker)
                                  : task;
  }

  void send(message_task& task, std::size_t worker, instant now = start) {
    task.on = &workers[worker];
    task.is = in_state::sent;
    book->sent(task, now);
  }

  /// Begins a message, sends its only task to a worker, and hedges it.
  gather_decision begin_hedged() {
    auto& message = begin();
    send(tasks.back(), 0);
    auto result = book->time_passed(start + 10ms);
    REQUIRE(result);
    CHECK(&result->message == &message);
    carry_out(*result);
    return *result;
  }

  auto come_back(message_task& task) {
    auto& from = static_cast<gather_worker&>(*std::exchange(task.on, nullptr));
    task.is = in_state::waiting;
    return book->came_back(task, from);
  }

  /// The worker leaves; true: a user has removed it.
  void leave(std::size_t worker, bool is_taken_out = false) {
    workers[worker].is = is_taken_out ? worker_state::leaving
                                      : worker_state::gone;
    workers[worker].is_taken_out = is_taken_out;
    serving.erase(std::find(serving.begin(), serving.end(), &workers[worker]));
  }

  void leave_all_but(std::size_t kept) {
    for (std::size_t i = 0; i < workers.size(); ++i)
      if (i != kept && workers[i].is == worker_state::serving)
        leave(i);
  }

  void release(message_task& task, instant now = start) {
    task.is = in_state::unknown;
    book->released(task, now);
  }

  std::vector<std::size_t> chosen() const {
    gather_book::worker_list asked;
    CHECK(book->choose(asked) == errc{});
    std::vector<std::size_t> result;
    for (auto* each : asked)
      result.push_back(static_cast<std::size_t>(each->number));
    return result;
  }

  errc refusal() const {
    gather_book::worker_list asked;
    return book->choose(asked);
  }
};

using numbers = std::vector<std::size_t>;

gather_decision made(const std::optional<gather_decision>& by) {
  REQUIRE(by);
  return *by;
}

gather_decision made(kind is, const std::optional<gather_decision>& by) {
  auto result = made(by);
  CHECK(result.is == is);
  return result;
}

} // namespace

// -- choice of the workers ----------------------------------------------------

TEST_CASE_FIXTURE(book_world,
                  "a message asks the workers with the fewest tasks, of equals "
                  "the worker that was chosen longest ago") {
  make(scatter::target::some, 3);
  workers[0].in_flight = 2;
  workers[1].chosen = 7;
  workers[2].chosen = 5;
  workers[3].in_flight = 1;
  CHECK(chosen() == numbers{2, 1, 3});
  begin(); // its tasks count although they were not sent
  CHECK(chosen() == numbers{3, 2, 1});
}

TEST_CASE_FIXTURE(book_world, "a paused worker is asked only if other workers "
                              "are fewer than must answer") {
  make({scatter::target::some, 3, 2, false, true});
  workers[0].suspended = workers[1].suspended = true;
  CHECK(chosen() == numbers{2, 3});
  workers[3].suspended = true;
  CHECK(chosen() == numbers{2, 0});
}

TEST_CASE_FIXTURE(book_world, "a message is refused if fewer workers serve "
                              "than must answer") {
  make({scatter::target::some, 5, 5, false, true});
  CHECK(refusal() == errc::too_few_workers);
  add();
  CHECK(refusal() == errc{});
}

TEST_CASE_FIXTURE(
  book_world,
  "a message for all workers is refused if no worker serves, and a message for "
  "any worker waits") {
  for (auto i = 0U; i < 4; ++i)
    leave(i);
  make(scatter::target::everybody);
  CHECK(refusal() == errc::no_workers);
  make(scatter::target::some);
  begin();
  CHECK(tasks.back().asked_of == nullptr);
  CHECK(tasks.back().notes().where == nullptr);
}

TEST_CASE_FIXTURE(book_world,
                  "a task for one worker is restricted to that worker until "
                  "the task is released") {
  make(scatter::target::everybody);
  begin();
  CHECK(tasks[2].notes().where == &workers[2].alone);
  CHECK(workers[2].asked.size() == 1);
  release(tasks[2]);
  CHECK(tasks[2].notes().where == nullptr);
  CHECK(workers[2].asked.empty());
}

// -- further workers ----------------------------------------------------------

TEST_CASE_FIXTURE(book_world, "a message asks each worker at most once, and no "
                              "paused worker") {
  make(scatter::target::some, 1, true);
  workers[3].suspended = true;
  auto& message = begin();
  CHECK(tasks.back().asked_of == &workers[0]);
  for (std::size_t number : {1U, 2U}) {
    auto by = made(kind::ask, book->ask_another(message));
    CHECK(by.number == number);
    CHECK(by.worker == &workers[number]);
    release(carry_out(by));
  }
  CHECK_FALSE(book->ask_another(message));
}

TEST_CASE_FIXTURE(book_world, "no further worker is asked for a message that a "
                              "user has cancelled, or if the plan asks none") {
  auto asks_more = true;
  SUBCASE("cancelled") {}
  SUBCASE("not asked by the plan") {
    asks_more = false;
  }
  make(scatter::target::some, 2, asks_more);
  auto& message = begin();
  message.is_cancelled = asks_more;
  CHECK_FALSE(book->ask_another(message));
}

// -- workers that leave -------------------------------------------------------

TEST_CASE_FIXTURE(book_world,
                  "if a worker leaves before its task has begun, "
                  "another worker gets a task with the same number") {
  make(scatter::target::some, 2);
  begin();
  leave(1);
  SUBCASE("the task waits") {}
  SUBCASE("the task comes back") {
    tasks[1].on = &workers[1];
    auto by = made(come_back(tasks[1]));
    CHECK(by.worker == &workers[2]);
    return;
  }
  auto by = made(kind::replace, book->take_left_behind(workers[1]));
  CHECK(by.task == &tasks[1]);
  CHECK(by.number == 1);
  CHECK(by.worker == &workers[2]);
  carry_out(by);
  CHECK_FALSE(book->take_left_behind(workers[1]));
  release(tasks[1]);
  CHECK(workers[2].asked.size() == 1);
}

TEST_CASE_FIXTURE(book_world, "tasks that a worker leaves behind go to other "
                              "workers in equal shares") {
  make(scatter::target::some, 2);
  workers[2].chosen = workers[3].chosen = 1;
  for (auto i = 0; i < 2; ++i) { // both are of the workers 0 and 1
    begin();
    workers[2].in_flight = workers[3].in_flight = 5;
  }
  workers[2].in_flight = workers[3].in_flight = 0;
  leave(1);
  numbers asked;
  while (auto by = book->take_left_behind(workers[1])) {
    asked.push_back(static_cast<std::size_t>(by->worker->number));
    carry_out(*by);
  }
  CHECK(asked == numbers{2, 3});
}

TEST_CASE_FIXTURE(
  book_world,
  "if all workers were asked, the task of a worker that leaves is cancelled") {
  make(scatter::target::some, 4);
  begin();
  leave(1, true);
  auto by = made(kind::cancel, book->take_left_behind(workers[1]));
  CHECK(by.why == errc::worker_down);
}

TEST_CASE_FIXTURE(book_world,
                  "a message for all workers does without a worker that a user "
                  "has removed, and fails at a worker that has terminated") {
  make(scatter::target::everybody);
  begin();
  auto is_taken_out = false;
  SUBCASE("removed") {
    is_taken_out = true;
  }
  SUBCASE("terminated") {}
  leave(1, is_taken_out);
  auto by = made(book->take_left_behind(workers[1]));
  CHECK(by.is == (is_taken_out ? kind::remove : kind::cancel));
  CHECK(by.worker == (is_taken_out ? &workers[1] : nullptr));
  CHECK(by.why == errc::worker_down);
}

TEST_CASE_FIXTURE(
  book_world,
  "a task that has crashed its only worker is cancelled, and not replaced") {
  make(scatter::target::some, 2);
  begin();
  leave(0);
  tasks[0].own_notes().crashes = 1;
  auto by = made(kind::cancel, book->take_left_behind(workers[0]));
  CHECK(by.why == errc::worker_crashed);
}

TEST_CASE_FIXTURE(book_world, "a task that a leaving worker has in its mailbox "
                              "stays there until the task comes back") {
  make(scatter::target::some, 2);
  begin();
  send(tasks[0], 0);
  leave(0, true);
  CHECK_FALSE(book->take_left_behind(workers[0]));
  tasks[0].is = in_state::running;
  CHECK_FALSE(book->take_left_behind(workers[0]));
  CHECK_FALSE(book->came_back(tasks[0], workers[0]));
  CHECK(come_back(tasks[0]));
}

TEST_CASE_FIXTURE(book_world, "a task that comes back from a serving worker "
                              "stays with that worker") {
  make(scatter::target::some, 2);
  begin();
  send(tasks[0], 0);
  CHECK_FALSE(come_back(tasks[0]));
  CHECK(tasks[0].asked_of == &workers[0]);
}

TEST_CASE_FIXTURE(book_world, "the task of a worker that leaves is not given "
                              "to another worker if the task is not needed") {
  make(scatter::target::some, 2);
  auto is = kind::cancel;
  SUBCASE("a user has cancelled the message") {
    begin().is_cancelled = true;
  }
  SUBCASE("the client has its answer") {
    book->decided(begin());
  }
  SUBCASE("the client has its answer, but all tasks have to run") {
    make({scatter::target::some, 2, 1, false, false});
    book->decided(begin());
    is = kind::replace;
  }
  leave(1);
  auto by = made(book->take_left_behind(workers[1]));
  CHECK(by.is == is);
}

// -- hedging ------------------------------------------------------------------

TEST_CASE_FIXTURE(book_world, "a second worker is asked once, when the "
                              "patience has ended") {
  make_hedging();
  begin();
  CHECK(book->next_tick() == libpool::never);
  send(tasks[0], 0, start + 1ms);
  CHECK(book->next_tick() == start + 11ms);
  CHECK_FALSE(book->time_passed(start + 10ms));
  auto by = made(kind::ask, book->time_passed(start + 11ms));
  CHECK(by.number == 1);
  CHECK(by.worker == &workers[1]); // not the first one
  send(carry_out(by), 1);
  CHECK(book->next_tick() == libpool::never);
  CHECK_FALSE(book->time_passed(start + 1s));
  CHECK(book->hedged() == 1);
  CHECK(book->messages() == 1);
}

TEST_CASE_FIXTURE(book_world, "a second worker is not asked if no other worker "
                              "serves, if the first task has ended, or if a "
                              "user has cancelled the message") {
  make_hedging();
  auto& message = begin();
  send(tasks[0], 2);
  SUBCASE("no other worker serves") {
    leave_all_but(2);
  }
  SUBCASE("the other workers are paused or not permitted") {
    libpool::restriction where;
    where.only = {workers[0].number, workers[2].number};
    tasks[0].own_notes().where = &where;
    workers[0].suspended = true;
    CHECK_FALSE(book->time_passed(start + 10ms));
  }
  SUBCASE("the first task has passed its deadline") {
    tasks[0].is = in_state::overdue;
  }
  SUBCASE("the first task was released") {
    release(tasks[0]);
  }
  SUBCASE("the message was cancelled") {
    message.is_cancelled = true;
  }
  SUBCASE("the client has its answer") {
    book->decided(message);
  }
  CHECK_FALSE(book->time_passed(start + 10ms));
  CHECK(book->next_tick() == libpool::never);
  CHECK(book->hedged() == 0);
}

TEST_CASE_FIXTURE(book_world, "no second worker is asked once the budget of "
                              "the plan is spent") {
  make_hedging();
  plan->budget = 2;
  for (auto i = 0U; i < 3; ++i) {
    begin();
    send(tasks.back(), i);
  }
  auto asked = 0;
  for (; auto by = book->time_passed(start + 10ms); ++asked)
    carry_out(*by);
  CHECK(asked == 2);
  CHECK(book->hedged() == 2);
}

TEST_CASE_FIXTURE(book_world, "messages whose patience ends at the same time "
                              "are hedged in the order in which they were "
                              "sent") {
  make_hedging();
  for (auto i = 0U; i < 4; ++i) {
    begin();
    send(tasks[i], i);
  }
  for (auto& each : messages) {
    auto by = made(book->time_passed(start + 10ms));
    CHECK(&by.message == &each);
    carry_out(by);
  }
}

TEST_CASE_FIXTURE(book_world, "the patience begins again with the next worker "
                              "if a worker gives the message back") {
  make_hedging();
  begin();
  send(tasks[0], 0);
  CHECK_FALSE(come_back(tasks[0]));
  CHECK(book->next_tick() == libpool::never);
  send(tasks[0], 1, start + 5ms);
  CHECK(book->next_tick() == start + 15ms);
  auto by = made(book->time_passed(start + 15ms));
  CHECK(by.worker == &workers[0]); // which has not begun it
  release(tasks[0], start + 20ms);
  CHECK(plan->answers == std::vector<libpool::duration>{15ms});
}

TEST_CASE_FIXTURE(book_world, "a message that has crashed its worker asks "
                              "another worker when the patience has ended") {
  make_hedging();
  begin();
  send(tasks[0], 0);
  tasks[0].own_notes().crashes = 1;
  CHECK_FALSE(come_back(tasks[0]));
  send(tasks[0], 1);
  auto by = made(book->time_passed(start + 10ms));
  CHECK(by.worker == &workers[2]);
}

TEST_CASE_FIXTURE(
  book_world,
  "a task of a hedged message that comes back goes to a worker that was not "
  "asked, or to the worker that has not begun it") {
  make_hedging();
  begin_hedged();
  auto* expected = &workers[2];
  SUBCASE("another worker serves") {}
  SUBCASE("all workers were asked") {
    leave(2);
    leave(3);
    expected = &workers[0];
  }
  auto by = made(kind::move, come_back(tasks[0]));
  CHECK(by.task == &tasks[0]);
  CHECK(by.worker == expected);
  CHECK(tasks[0].asked_of == expected);
}

TEST_CASE_FIXTURE(book_world, "a task of a hedged message that has crashed its "
                              "worker is cancelled if all other workers were "
                              "asked") {
  make_hedging();
  begin_hedged();
  leave(2);
  leave(3);
  tasks[0].own_notes().crashes = 1;
  auto by = made(kind::cancel, come_back(tasks[0]));
  CHECK(by.why == errc::worker_crashed);
}

TEST_CASE_FIXTURE(book_world, "the last task of a hedged message waits for the "
                              "next worker if no worker serves") {
  make_hedging();
  begin_hedged();
  send(tasks[1], 1);
  SUBCASE("the second worker ends first") {
    leave_all_but(0);
    auto by = made(kind::cancel, come_back(tasks[1]));
    CHECK(by.why == errc::worker_down);
    carry_out(by);
    leave(0);
    CHECK_FALSE(come_back(tasks[0])); // any worker may have it
    CHECK(tasks[0].asked_of == nullptr);
  }
  SUBCASE("the first worker ends first") {
    leave_all_but(1);
    auto by = made(kind::cancel, come_back(tasks[0]));
    carry_out(by);
    leave(1);
    auto last = made(kind::replace, come_back(tasks[1]));
    CHECK(last.worker == nullptr);
  }
}

// -- the end of a message -----------------------------------------------------

TEST_CASE_FIXTURE(book_world, "a message ends with its last task, after parts "
                              "without tasks got tasks") {
  make(scatter::target::parts);
  auto& message = messages.emplace_back();
  book->began(message, 3);
  message.unmade = 1;
  add_task(message, 0, nullptr);
  add_task(message, 1, nullptr);
  release(tasks[0]);
  release(tasks[1]);
  CHECK_FALSE(message.has_ended());
  add_task(message, 2, nullptr);
  message.unmade = 0;
  CHECK_FALSE(message.has_ended());
  release(tasks[2]);
  CHECK(message.has_ended());
}

TEST_CASE_FIXTURE(book_world, "a message that may ask further workers ends "
                              "when its votes have decided and its tasks have "
                              "ended") {
  make(scatter::target::some, 1, true);
  auto& message = begin();
  SUBCASE("the task ends first") {
    release(tasks[0]);
    CHECK_FALSE(message.has_ended());
    book->decided(message);
  }
  SUBCASE("the votes decide first") {
    book->decided(message);
    CHECK_FALSE(message.has_ended());
    release(tasks[0]);
  }
  CHECK(message.has_ended());
}

TEST_CASE_FIXTURE(book_world, "the plan learns the answer time of the first "
                              "worker only") {
  make_hedging();
  begin_hedged();
  send(tasks[1], 1, start + 10ms);
  release(tasks[1], start + 12ms);
  CHECK(plan->answers.empty());
  release(tasks[0], start + 30ms);
  CHECK(plan->answers == std::vector<libpool::duration>{30ms});
}

TEST_CASE_FIXTURE(book_world, "an ended message can be used again for another "
                              "message") {
  make_hedging();
  begin_hedged();
  auto& message = messages[0];
  message.is_cancelled = true;
  book->decided(message);
  release(tasks[0]);
  release(tasks[1]);
  REQUIRE(message.has_ended());
  book->began(message, 1);
  send(add_task(message, 0, nullptr), 0);
  auto by = made(book->time_passed(start + 10ms));
  CHECK(by.number == 1);
  CHECK(by.worker == &workers[1]);
}

/// Messages that an outer pool tracks, in a managed pool: before they are sent,
/// and when they fail.

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/passage.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/answers.hpp"
#include "libpool/actors/managed/outgoing.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>

using libpool::answers;
using libpool::errc;
using libpool::managed_task;
using libpool::outcome;
using libpool::tracked_element;

namespace {

/// The outer pool, which keeps its elements.
class keeping_owner final : public libpool::element_owner {
public:
  void ended(tracked_element&, libpool::execution_context*) noexcept override {
    // nop
  }
};

/// The inner pool, as the outer one sees it.
class roomy final : public libpool::inner_pool {
public:
  libpool::room room() const noexcept override {
    return {1, false};
  }
};

using recall_result = tracked_element::recall_result;

/// A task whose message is an element of an outer pool, and a worker for it.
struct outer_world : test::hand_cranked {
  outer_world() {
    tracked_element::receiver inner;
    inner.actor = &*pool;
    inner.pool = &front;
    inner.lets_recall = true;
    element.load(
      outer_task,
      libpool::make_element(client.handle, caf::make_message_id(7), 42), inner,
      false);
    outer_task.carrier = &element;
    task.is_request = true;
    task.repeatable = false;
    task.from_outer = std::make_shared<libpool::passage>();
    task.from_outer->way.id = caf::make_message_id(7);
    task.from_outer->way.sender = client.handle;
    task.from_outer->content = caf::make_message(42);
    pool->keeps = true;
    element.send(nullptr);
    task.element = std::move(pool->kept);
    pool->keeps = false;
    worker.receiver.lets_recall = true;
  }

  answers::outer_message fail(errc why) {
    libpool::decision by{libpool::decision::kind::settle, &task, nullptr,
                         outcome::refused, why};
    return answers::tell_outer(task, by, why);
  }

  errc get_ready() {
    return libpool::get_ready(task, worker, *pool);
  }

  test::stub pool{system()};
  roomy front;
  test::stub client{system()};
  keeping_owner owner;
  managed_task outer_task;
  tracked_element element{owner, nullptr, false};
  libpool::managed_worker worker;
  managed_task task;
};

} // namespace

// -- failing ------------------------------------------------------------------

TEST_CASE_FIXTURE(
  outer_world,
  "a message of an outer pool is given back if another worker may handle it") {
  for (auto why : {errc::queue_full, errc::flow_full, errc::pool_closed,
                   errc::no_workers}) {
    CHECK(fail(why) == answers::outer_message::given_back);
    CHECK(element.given_back() == why);
    CHECK(!element.has_started());
  }
}

TEST_CASE_FIXTURE(outer_world,
                  "a message that was opened and given back keeps its sender") {
  REQUIRE(element.open());
  element.give_back(errc::no_workers);
  task.element = nullptr;
  auto message = element.unload();
  REQUIRE(message != nullptr);
  CHECK(message->sender == client.handle);
  CHECK(message->mid == caf::make_message_id(7));
}

TEST_CASE_FIXTURE(
  outer_world, "a message that no worker may handle is settled by this pool") {
  CHECK(fail(errc::policy_failed) == answers::outer_message::settled);
  CHECK(element.has_started());
  REQUIRE(element.inside());
  CHECK(element.inside()->how == outcome::refused);
  CHECK(element.inside()->why == errc::policy_failed);
}

TEST_CASE_FIXTURE(
  outer_world,
  "a message that the outer pool has taken back is not settled by this pool") {
  CHECK(element.recall() == recall_result::done);
  CHECK(fail(errc::policy_failed) == answers::outer_message::taken_back);
  CHECK(!element.inside());
}

// -- sending ------------------------------------------------------------------

TEST_CASE_FIXTURE(
  outer_world, "a message for a worker that allows recalls may be taken back") {
  CHECK(get_ready() == errc{});
  CHECK(element.recall() == recall_result::done);
}

TEST_CASE_FIXTURE(outer_world,
                  "a message for a blocking worker cannot be recalled") {
  worker.receiver.lets_recall = false;
  CHECK(get_ready() == errc{});
  CHECK(element.recall() == recall_result::is_held);
}

TEST_CASE_FIXTURE(
  outer_world,
  "a message that the outer pool has taken back is not sent to a worker") {
  CHECK(element.recall() == recall_result::done);
  CHECK(get_ready() == errc::not_needed);
  worker.receiver.lets_recall = false;
  CHECK(get_ready() == errc::not_needed);
  task.repeatable = true;
  CHECK(get_ready() == errc::not_needed);
}

TEST_CASE_FIXTURE(
  outer_world,
  "a copy of the content is kept for a message that may be retried") {
  task.repeatable = true;
  CHECK(get_ready() == errc{});
  CHECK(element.has_started());
  REQUIRE(task.outer != nullptr);
  CHECK(tracked_element::from(*task.outer) == &element);
  CHECK(task.content.get_as<int>(0) == 42);
  CHECK(task.element->sender == client.handle);
  CHECK(task.element->mid == caf::make_message_id(7));
}

TEST_CASE_FIXTURE(outer_world,
                  "an inner pool gets the message through the passage") {
  worker.is_pool = true;
  CHECK(get_ready() == errc{});
  REQUIRE(task.to_inner != nullptr);
  CHECK(task.to_inner->task == &task);
  CHECK(task.to_inner->owner == pool->address());
  CHECK(task.to_inner->way.id == caf::make_message_id(7));
  CHECK(task.to_inner->way.sender == client.handle);
  CHECK(task.to_inner->content.get_as<int>(0) == 42);
  CHECK(!element.has_started());
}

TEST_CASE_FIXTURE(outer_world,
                  "an inner pool answers the stand-in of the client") {
  worker.is_pool = true;
  task.stand_in = pool.handle;
  CHECK(get_ready() == errc{});
  CHECK(task.to_inner->way.sender == pool.handle);
}

TEST_CASE_FIXTURE(outer_world,
                  "a message of a client goes to a worker unchanged") {
  task.element = libpool::make_element(client.handle, {}, 1);
  auto* before = task.element.get();
  CHECK(get_ready() == errc{});
  CHECK(task.element.get() == before);
  CHECK(task.to_inner == nullptr);
}

TEST_CASE_FIXTURE(
  outer_world, "a message of a client gets a passage if its worker is a pool") {
  task.from_outer = nullptr;
  task.element = libpool::make_element(client.handle, caf::make_message_id(8),
                                       1);
  worker.is_pool = true;
  CHECK(get_ready() == errc{});
  REQUIRE(task.to_inner != nullptr);
  CHECK(task.to_inner->way.id == caf::make_message_id(8));
  CHECK(task.to_inner->content.get_as<int>(0) == 1);
  CHECK(libpool::content_of(*task.element).get_as<int>(0) == 1);
  CHECK(task.element->sender == client.handle);
  CHECK(task.content.empty()); // kept only for another try
}

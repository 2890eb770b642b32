/// The objects that a managed pool uses again, and the reference that keeps it
/// alive.

#include "libpool/actors/managed/recycler.hpp"
#include "stub_watcher.hpp"
#include "support/hand_cranked.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <memory>

using libpool::recycler;
using libpool::tracked_element;

namespace {

/// Owns elements that are never sent.
class idle_owner final : public libpool::element_owner {
public:
  void ended(tracked_element&, libpool::execution_context*) noexcept override {
    // nop
  }
};

struct recycler_world : test::hand_cranked {
  tracked_element& take_carrier() {
    return nodes.take_carrier([this] {
      ++made;
      return std::make_unique<tracked_element>(owner, nullptr, false);
    });
  }

  /// How often others than the test refer to the pool.
  std::size_t references() const {
    return pool.handle->strong_refs - 1;
  }

  int made = 0;
  idle_owner owner;
  test::stub pool{system()};
  recycler nodes{pool.handle.get()};
};

} // namespace

TEST_CASE_FIXTURE(
  recycler_world,
  "a task object that was given back is used for the next task") {
  auto& first = nodes.take_task();
  nodes.give_back(first);
  auto& second = nodes.take_task();
  CHECK(&first == &second);
  auto& third = nodes.take_task();
  CHECK(&second != &third);
  nodes.give_back(second);
  nodes.give_back(third);
  nodes.release();
}

TEST_CASE_FIXTURE(recycler_world, "a task that has ended holds no references") {
  auto& task = nodes.take_task();
  auto before = references();
  auto handle = caf::actor_cast<caf::actor>(pool.handle);
  task.element = libpool::make_element(pool.handle, {}, handle);
  task.content = caf::make_message(handle);
  task.client = pool.handle;
  task.asker = pool.handle;
  task.worker = handle;
  task.stand_in = pool.handle;
  task.crash = "because";
  task.deadline = libpool::instant{};
  task.answered_with_error = true;
  task.has_extras = true;
  handle = nullptr;
  CHECK(references() > before);
  nodes.give_back(task);
  CHECK(references() == before);
  auto& next = nodes.take_task();
  CHECK(&next == &task);
  CHECK(!next.has_extras);
  CHECK(next.crash.empty());
  CHECK(next.deadline == libpool::never);
  CHECK(!next.answered_with_error);
  nodes.give_back(next);
  nodes.release();
}

TEST_CASE_FIXTURE(
  recycler_world,
  "passages and interceptors no longer refer to a task that has ended") {
  auto& task = nodes.take_task();
  auto inwards = std::make_shared<libpool::passage>();
  inwards->task = &task;
  task.to_inner = inwards;
  task.interceptor =
    std::make_shared<libpool::reply_interceptor>(libpool::return_path{}, false);
  task.interceptor->task = &task;
  auto interceptor = task.interceptor;
  task.has_extras = true;
  nodes.give_back(task);
  CHECK(inwards->task == nullptr);
  CHECK(interceptor->task == nullptr);
  nodes.release();
}

TEST_CASE_FIXTURE(recycler_world,
                  "elements are allocated only if none is free") {
  auto& first = take_carrier();
  nodes.give_back(first);
  CHECK(&take_carrier() == &first);
  CHECK(made == 1);
  auto& second = take_carrier();
  CHECK(made == 2);
  nodes.give_back(first);
  nodes.give_back(second);
  nodes.release();
}

TEST_CASE_FIXTURE(recycler_world,
                  "the pool is kept alive while a task is in flight") {
  auto& task = nodes.take_task();
  CHECK(references() == 1);
  CHECK(nodes.release() == nullptr);
  CHECK(references() == 1);
  nodes.give_back(task);
  CHECK(nodes.release() == pool.handle);
  CHECK(references() == 0);
}

TEST_CASE_FIXTURE(
  recycler_world,
  "the pool is kept alive until all its tasks in flight are back") {
  nodes.hold();
  auto& task = nodes.take_task();
  auto& carrier = take_carrier();
  CHECK(references() == 1); // one for all
  nodes.give_back(task);
  nodes.give_back(carrier);
  CHECK(nodes.release() == nullptr);
  nodes.let_go();
  CHECK(nodes.release() == pool.handle);
}

TEST_CASE_FIXTURE(recycler_world,
                  "the pool is not held by messages that wait in vain") {
  nodes.hold(2);
  CHECK(!nodes.is_unused());
  CHECK(nodes.release(2) == pool.handle);
  CHECK(references() == 0);
  CHECK(nodes.release() == nullptr); // a worker has joined
  CHECK(references() == 1);
  nodes.let_go(2);
  CHECK(nodes.is_unused());
  CHECK(nodes.release() == pool.handle);
  CHECK(references() == 0);
}

TEST_CASE_FIXTURE(recycler_world,
                  "a pool is not destroyed while a worker holds a message of "
                  "the pool, even if no waiting message can run") {
  nodes.hold();
  auto& carrier = take_carrier();
  CHECK(nodes.release(1) == nullptr);
  CHECK(references() == 1);
  nodes.give_back(carrier);
  CHECK(nodes.release(1) == pool.handle);
  nodes.let_go();
}

TEST_CASE_FIXTURE(recycler_world,
                  "the pool is kept alive by one reference per round") {
  nodes.hold();
  nodes.let_go();
  nodes.hold(); // before the round has ended
  CHECK(references() == 1);
  nodes.let_go();
  CHECK(nodes.release() == pool.handle);
  CHECK(nodes.release() == nullptr);
}

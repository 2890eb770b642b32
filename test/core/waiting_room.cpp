#include "libpool/core/waiting_room.hpp"

#include "libpool/policies/fifo.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

using libpool::instant;
using libpool::restriction;
using libpool::task;
using libpool::waiting_room;
using libpool::worker_number;

namespace {

/// A placement that keeps the order of the tasks of each key.
class in_order final : public libpool::placement {
public:
  void offered(libpool::worker&, instant) noexcept override {
    // nop
  }

  void withdrawn(libpool::worker&, instant) noexcept override {
    // nop
  }

  void assigned(libpool::worker&, task&, instant) noexcept override {
    // nop
  }

  void unassigned(libpool::worker&, task&, instant) noexcept override {
    // nop
  }

  bool keeps_order(const task& task) const noexcept override {
    return task.key.has_value();
  }

  libpool::worker* choose(const task&, instant) noexcept override {
    return nullptr;
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>&,
                                const task&, instant) noexcept override {
    return nullptr;
  }
};

/// A waiting room with its order and its placement.
struct room_world {
  /// A task that waits in the order.
  task& add(restriction* where = nullptr) {
    auto& result = tasks.emplace_back();
    result.number = tasks.size();
    result.where = where;
    order.added(result, {});
    return result;
  }

  task& hold(restriction* where = nullptr, bool is_unplaced = false) {
    auto& result = add(where);
    room.hold(result, is_unplaced, {});
    return result;
  }

  restriction& only_on(const std::vector<std::uint64_t>& some) {
    auto& result = restrictions.emplace_back();
    for (auto number : some)
      result.only.push_back(worker_number{number});
    return result;
  }

  /// Numbers of the tasks that the order would choose, one after the other.
  std::string free() {
    std::string result;
    std::vector<task*> chosen;
    while (auto* next = order.choose({})) {
      result += (result.empty() ? "" : " ") + std::to_string(next->number);
      chosen.push_back(next);
      order.removed(*next, {});
    }
    for (auto* each : chosen)
      order.added(*each, {});
    return result;
  }

  std::deque<task> tasks;
  std::deque<restriction> restrictions;
  libpool::fifo order;
  in_order placement;
  waiting_room room{order, placement};
};

} // namespace

TEST_CASE("a task that waits for a worker is not chosen until this worker is "
          "available") {
  room_world w;
  w.hold(&w.only_on({3}));
  w.add();
  CHECK(w.free() == "2");
  CHECK(w.room.held() == 1);
  w.room.free_for(worker_number{2}, {});
  CHECK(w.free() == "2");
  w.room.free_for(worker_number{3}, {});
  CHECK(w.free() == "1 2");
  CHECK(w.room.held() == 0);
}

TEST_CASE("when a worker becomes available, only the first of the tasks that "
          "wait for it can be chosen") {
  room_world w;
  auto& where = w.only_on({3});
  w.hold(&where);
  w.hold(&where);
  w.room.free_for(worker_number{3}, {});
  CHECK(w.free() == "1");
  SUBCASE("the second task is free when the first task is chosen") {
    w.order.removed(w.tasks[0], {});
    w.room.followed(w.tasks[0], {});
    CHECK(w.free() == "2");
  }
  SUBCASE("the second task is free when the first task is removed") {
    w.room.remove(w.tasks[0], {});
    CHECK(w.free() == "2");
  }
}

TEST_CASE("if a task that waits for a worker is removed, the next task still "
          "waits for the worker") {
  room_world w;
  auto& where = w.only_on({3});
  w.hold(&where);
  w.hold(&where);
  w.room.remove(w.tasks[0], {});
  CHECK(w.free() == "");
  CHECK(w.room.held() == 1);
}

TEST_CASE("a task restricted to many workers can be chosen only when one of "
          "these workers is available") {
  room_world w;
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i < 100; ++i)
    many.push_back(2 * i);
  auto& where = w.only_on(many);
  w.hold(&where);
  CHECK(w.room.awaiting(worker_number{7}).empty());
  CHECK(w.room.awaiting(worker_number{8}) == std::vector{&where});
  w.room.free_for(worker_number{7}, {});
  CHECK(w.free() == "");
  w.room.free_for(worker_number{8}, {});
  CHECK(w.free() == "1");
  CHECK(w.room.awaiting(worker_number{8}).empty());
}

TEST_CASE("a task for which no worker was suitable can be chosen when any "
          "worker becomes available") {
  room_world w;
  auto& where = w.only_on({3});
  w.hold(&where, true);
  CHECK(w.room.held() == 0);
  w.room.free_for(worker_number{5}, {});
  CHECK(w.free() == "1");
}

TEST_CASE("a task without permitted workers is not counted among the tasks "
          "that wait for permitted workers") {
  room_world w;
  w.hold(nullptr);
  auto& wish = w.only_on({3});
  wish.loose = true;
  w.hold(&wish);
  CHECK(w.room.held() == 0);
  w.room.free_unplaced({});
  CHECK(w.free() == "1 2");
}

TEST_CASE("a task must wait behind an earlier waiting task of the same key") {
  room_world w;
  auto& first = w.add();
  first.key = 7;
  auto& second = w.add();
  second.key = 7;
  auto& other = w.add();
  other.key = 8;
  w.room.hold(first, true, {});
  CHECK(w.room.is_behind_its_key(second));
  CHECK_FALSE(w.room.is_behind_its_key(first));
  CHECK_FALSE(w.room.is_behind_its_key(other));
  w.room.remove(first, {});
  CHECK_FALSE(w.room.is_behind_its_key(second));
}

TEST_CASE("a task for which no worker was suitable can be chosen when the "
          "previous task of its key goes to a worker") {
  room_world w;
  auto& first = w.add();
  first.key = 7;
  auto& second = w.add();
  second.key = 7;
  w.room.hold(second, true, {});
  w.order.removed(first, {});
  w.room.followed(first, {});
  CHECK(w.free() == "2");
}

TEST_CASE("free_all lets all waiting tasks be chosen at once") {
  room_world w;
  auto& where = w.only_on({1});
  w.hold(&where);
  w.hold(&w.only_on({2, 3}));
  w.hold(nullptr);
  w.hold(&where);
  w.room.free_all({});
  CHECK(w.free() == "1 2 3 4");
  CHECK(w.room.held() == 0);
}

TEST_CASE("the waiting room records workers that leave once a task is "
          "restricted to particular workers") {
  room_world w;
  w.room.departed(worker_number{1});
  CHECK_FALSE(w.room.has_departed());
  w.room.accepted(w.only_on({1}));
  w.room.departed(worker_number{1});
  w.room.departed(worker_number{2});
  CHECK(w.room.take_departed()
        == std::vector{worker_number{1}, worker_number{2}});
  CHECK_FALSE(w.room.has_departed());
}

TEST_CASE(
  "the destructor of a waiting room unlinks all tasks that wait for a worker") {
  restriction where;
  where.only.push_back(worker_number{1});
  std::deque<task> tasks(2);
  {
    libpool::fifo order;
    in_order placement;
    waiting_room room{order, placement};
    for (auto& each : tasks) {
      each.number = 1 + static_cast<std::uint64_t>(&each != &tasks[0]);
      each.where = &where;
      order.added(each, {});
      room.hold(each, false, {});
    }
  }
  CHECK(where.held.empty());
  CHECK_FALSE(tasks[0].place_hook.is_linked());
}

#pragma once

#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A dispatcher_world whose workers serve their mailboxes in order and begin as
/// soon as they can; recalled tasks come back at once. The clock stands still
/// unless it is told otherwise.
struct acting_world : dispatcher_world {
  using dispatcher_world::dispatcher_world;

  // -- facts ------------------------------------------------------------------

  /// Dies: tasks that it has begun fail, others that it was sent come back.
  void leave(std::size_t worker) {
    auto& mailbox = workers[worker].mailbox;
    pool.left(workers[worker], now);
    while (!mailbox.empty()) {
      auto& task = mailbox.front();
      if (task.is == libpool::task::condition::sent)
        pool.returned(task, now);
      else
        pool.finished(task, libpool::ending::crashed, now);
    }
    decided();
  }

  void pass(libpool::duration time) {
    now += time;
    pool.ticked(now);
    decided();
  }

  // -- questions --------------------------------------------------------------

  std::size_t last() const {
    return tasks.size() - 1;
  }

  /// Tasks in this condition or that other one.
  names tasks_in(libpool::task::condition first,
                 libpool::task::condition second) const {
    names result;
    for (std::size_t i = 0; i < tasks.size(); ++i)
      if (tasks[i].is == first || tasks[i].is == second)
        result.push_back(i);
    return result;
  }

  /// Tasks whose handlers have begun and not ended, the oldest first.
  names running() const {
    return tasks_in(libpool::task::condition::running,
                    libpool::task::condition::overdue);
  }

  const libpool::ledger& books() const {
    return pool.books();
  }

  // -- decisions --------------------------------------------------------------

  /// Has all be done that can be done now.
  std::string decided() override {
    do {
      pool.dispatch(now);
      carry_out_all();
    } while (begins && begin());
    return {};
  }

  /// Whether workers begin as soon as they can, rather than not at all.
  bool begins = true;

  /// All that was decided, if it `remembers`.
  bool remembers = false;
  std::vector<libpool::decision> remembered;

protected:
  virtual void carry_out(const libpool::decision& made) {
    if (remembers)
      remembered.push_back(made);
    if (made.is == libpool::decision::kind::recall)
      pool.returned(*made.task, now);
  }

  /// How many tasks the worker runs at a time.
  virtual std::size_t at_once(const libpool::worker& worker) const {
    return worker.mailbox.size();
  }

  /// The task, which was sent, begins.
  virtual void begin(libpool::task& task) {
    pool.started(task, now);
  }

private:
  void carry_out_all() {
    auto& all = pool.decisions();
    while (!all.empty()) {
      for (const auto& made : std::exchange(all, {}))
        carry_out(made);
      pool.dispatch(now);
    }
  }

  /// Has workers begin; returns whether any of them did.
  bool begin() {
    auto result = false;
    for (auto& worker : workers) {
      auto free = at_once(worker);
      for (auto& task : worker.mailbox) {
        if (free-- == 0)
          break;
        if (task.is != libpool::task::condition::sent)
          continue;
        begin(task);
        result = true;
      }
    }
    return result;
  }
};

} // namespace test

/// How tests show chosen tasks and workers.
template <>
struct doctest::StringMaker<test::acting_world::names> {
  static doctest::String convert(const test::acting_world::names& all) {
    doctest::String result;
    for (auto name : all)
      result += doctest::toString(name) + " ";
    return result;
  }
};

#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/least_used.hpp"
#include "support/dispatcher_world.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace test {

/// fair_queuing and least_used.
inline libpool::composition
by_flows(const libpool::fair_queuing_options& options) {
  libpool::composition result;
  result.order = libpool::make_fair_queuing(options);
  result.placement = std::make_unique<libpool::least_used>();
  return result;
}

/// A dispatcher whose tasks take seats.
struct seated_world : dispatcher_world {
  explicit seated_world(const libpool::limits& within = {},
                        const libpool::fair_queuing_options& options = {})
    : dispatcher_world(by_flows(options), within) {
    // nop
  }

  explicit seated_world(libpool::composition how)
    : dispatcher_world(std::move(how)) {
    // nop
  }

  /// A worker with so many seats joins.
  std::string seat(std::size_t seats = 1) {
    auto& who = workers.emplace_back();
    who.number = libpool::worker_number{workers.size() - 1};
    who.seats = seats;
    pool.joined(who, now);
    return decided();
  }

  std::string submit_wide(std::size_t width,
                          libpool::restriction* where = nullptr) {
    auto& what = tasks.emplace_back();
    what.width = width;
    what.where = where;
    return submit(what);
  }

  std::string submit_of(const libpool::flow_key& flow) {
    auto& what = tasks.emplace_back();
    what.flow = flow;
    return submit(what);
  }

  std::string submit_of(const libpool::flow_key& flow,
                        libpool::restriction& where) {
    auto& what = tasks.emplace_back();
    what.flow = flow;
    what.where = &where;
    return submit(what);
  }

  /// How many of the tasks wait for particular workers, not to be chosen.
  std::size_t held() const {
    return static_cast<std::size_t>(
      std::count_if(tasks.begin(), tasks.end(),
                    [](const libpool::task& what) { return what.held; }));
  }

  /// A task begins, and does not end when its deadline passes.
  void hang(std::size_t width) {
    auto& what = tasks.emplace_back();
    what.width = width;
    what.deadline = now + std::chrono::milliseconds{1};
    submit(what);
    start(tasks.size() - 1);
    now = what.deadline;
    pool.ticked(now);
    text_of_decisions();
  }
};

} // namespace test

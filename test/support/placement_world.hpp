#pragma once

#include "support/acting_world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace test {

/// How a placement_world is set up.
struct placement_setting {
  libpool::assignment when = libpool::assignment::eager;
  /// Whether a worker that has nothing takes the oldest task of another one.
  bool steals = false;
  libpool::limits within = {};
  /// fifo if nullptr.
  std::unique_ptr<libpool::order> order = nullptr;
};

/// A placement under a real dispatcher. Submitting a task returns its worker,
/// or nobody.
struct placement_world : acting_world {
  static constexpr auto nobody = static_cast<std::size_t>(-1);

  explicit placement_world(std::unique_ptr<libpool::placement> policy,
                           placement_setting how = {})
    : acting_world(composed_of(std::move(policy), how), how.within) {
    // nop
  }

  // -- facts about workers ----------------------------------------------------

  /// A worker joins that runs so many tasks at once.
  void join(std::size_t window = 8,
            libpool::duration weight = libpool::duration{0},
            std::size_t at_once = 1) {
    auto& worker = hire();
    worker.window = worker.seats = window;
    worker.weight = weight;
    at_once_.push_back(at_once);
    dispatcher_world::join(worker);
  }

  /// As many of them.
  void join_all(std::size_t count, std::size_t window = 8) {
    for (std::size_t i = 0; i < count; ++i)
      join(window);
  }

  /// A worker joins for each weight.
  void join_weighing(const std::vector<int>& weights, std::size_t window = 8) {
    for (auto weight : weights)
      join(window, libpool::duration{weight});
  }

  // -- facts about tasks ------------------------------------------------------

  std::size_t submit() {
    return submit(add());
  }

  std::size_t submit_key(std::uint64_t key) {
    add().key = key;
    return submit(tasks.back());
  }

  std::size_t submit_only(const names& only, bool loose = false) {
    add().where = &(loose ? best_on(only) : only_on(only));
    return submit(tasks.back());
  }

  std::size_t submit_home(std::size_t home) {
    add().home = libpool::worker_number{home};
    return submit(tasks.back());
  }

  /// Submits a task that has been added with `add`.
  std::size_t submit(libpool::task& task) {
    dispatcher_world::submit(task);
    return worker_of(last());
  }

  names submit_all(std::size_t count) {
    names result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back(submit());
    return result;
  }

  /// A task runs for that long while nothing else happens.
  std::size_t serve(libpool::duration cost) {
    auto result = submit();
    auto task = last();
    pass(cost);
    finish(task);
    return result;
  }

  // -- questions --------------------------------------------------------------

  /// The worker of the task.
  std::size_t worker_of(std::size_t task) const {
    const auto* on = tasks[task].on;
    return on == nullptr ? nobody : static_cast<std::size_t>(on->number);
  }

protected:
  std::size_t at_once(const libpool::worker& worker) const override {
    return at_once_[static_cast<std::size_t>(worker.number)];
  }

private:
  static libpool::composition
  composed_of(std::unique_ptr<libpool::placement> policy,
              placement_setting& how) {
    auto result = composed(how.when, how.steals);
    if (how.order != nullptr)
      result.order = std::move(how.order);
    result.placement = std::move(policy);
    return result;
  }

  std::deque<std::size_t> at_once_;
};

} // namespace test

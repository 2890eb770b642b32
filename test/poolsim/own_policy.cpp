/// The rule of examples/own_policy.cpp, on a virtual clock: a placement asks
/// it, and a text takes as many milliseconds as it has bytes.

#include "fewest_bytes.hpp"

#include "poolsim/simulation.hpp"

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/fifo.hpp"
#include "libpool/policies/round_robin.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using libpool::composition;
using libpool::instant;
using libpool::task;
using libpool::worker;
using sizes = std::vector<std::size_t>;

std::size_t size_of(const task& task) {
  return static_cast<std::size_t>(*task.estimate
                                  / std::chrono::milliseconds{1});
}

/// Asks the rule. Workers only come.
class by_bytes final : public libpool::placement {
public:
  void offered(worker& worker, instant) noexcept override {
    workers_.push_back(&worker);
    rule_.resize(workers_.size());
  }

  void withdrawn(worker&, instant) noexcept override {
    // No worker is withdrawn: none is full where tasks are bound eagerly, and
    // none leaves.
  }

  void assigned(worker& worker, task& task, instant) noexcept override {
    const auto found = std::find(workers_.begin(), workers_.end(), &worker);
    rule_.gave(static_cast<std::size_t>(found - workers_.begin()),
               size_of(task));
  }

  void unassigned(worker&, task&, instant) noexcept override {
    // The given texts count.
  }

  worker* choose(const task&, instant) noexcept override {
    return workers_.empty() ? nullptr : workers_[rule_.next()];
  }

  worker* choose_among(const std::vector<worker*>& some, const task&,
                       instant) noexcept override {
    return some.front();
  }

private:
  std::vector<worker*> workers_;
  fewest_bytes rule_;
};

template <class Placement>
composition bound_at_once() {
  composition out;
  out.order = std::make_unique<libpool::fifo>();
  out.placement = std::make_unique<Placement>();
  out.assignment = libpool::assignment::eager;
  return out;
}

/// All come at once, in this order.
poolsim::result simulated(const sizes& texts, std::size_t workers,
                          composition how) {
  poolsim::scenario scenario;
  scenario.workers.resize(workers);
  scenario.flows = {"all"};
  for (auto size : texts) {
    auto& added = scenario.tasks.emplace_back();
    added.estimate = std::chrono::milliseconds{size};
    added.service = {*added.estimate};
  }
  return poolsim::simulate(scenario, std::move(how));
}

/// By how much two workers differed, at most, after any of the texts.
std::size_t imbalance(const poolsim::result& result, const sizes& texts) {
  sizes given(result.workers.size());
  std::size_t out = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    given[result.tasks[i].worker] += texts[i];
    const auto [least, most] = std::minmax_element(given.begin(), given.end());
    out = std::max(out, *most - *least);
  }
  return out;
}

std::size_t milliseconds(libpool::duration time) {
  return static_cast<std::size_t>(time / std::chrono::milliseconds{1});
}

} // namespace

TEST_CASE("each text goes to the worker that was given the fewest bytes of "
          "text so far") {
  const sizes texts{100, 1, 1, 1, 200, 1};
  const auto all = simulated(texts, 2, bound_at_once<by_bytes>());
  sizes workers;
  for (const auto& each : all.tasks)
    workers.push_back(each.worker);
  CHECK(workers == sizes{0, 1, 1, 1, 1, 0});
  CHECK(milliseconds(all.makespan) == 203);
}

TEST_CASE(
  "the loads of two workers differ by at most the size of the largest text") {
  // The worker that gets a text of size s has the fewest, m; then it has m + s,
  // and all others at least m: it is ahead by s at most. The others lose ground
  // to it, or nothing. So the last one to end has at most the mean and, beyond
  // that, the (n - 1)/n of a text by which it can be ahead of it.
  CHECK(rc::check([] {
    const auto workers = *rc::gen::inRange<std::size_t>(1, 8);
    const auto texts = *rc::gen::nonEmpty(
      rc::gen::container<sizes>(rc::gen::inRange<std::size_t>(1, 1000)));
    const auto all = simulated(texts, workers, bound_at_once<by_bytes>());
    const auto largest = *std::max_element(texts.begin(), texts.end());
    const auto sum = std::accumulate(texts.begin(), texts.end(),
                                     std::size_t{0});
    RC_ASSERT(imbalance(all, texts) <= largest);
    RC_ASSERT(workers * milliseconds(all.makespan)
              <= sum + (workers - 1) * largest);
  }));
}

TEST_CASE("with round robin, the loads of two workers can differ by more than "
          "the size of the largest text") {
  // 1 and 100 in turn, ten times, for two workers: one has 10 in the end, the
  // other 1000.
  sizes texts;
  for (int i = 0; i < 10; ++i)
    texts.insert(texts.end(), {1, 100});
  CHECK(
    imbalance(simulated(texts, 2, bound_at_once<libpool::round_robin>()), texts)
    == 990);
  CHECK(imbalance(simulated(texts, 2, bound_at_once<by_bytes>()), texts)
        <= 100);
}

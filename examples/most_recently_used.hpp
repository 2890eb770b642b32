#pragma once

#include "libpool/core/composition.hpp"
#include "libpool/core/placement.hpp"
#include "libpool/policies/order/fifo.hpp"

#include <algorithm>
#include <memory>
#include <vector>

/// Placement that chooses, among the workers with room, the one that was chosen
/// last. Work stays with a few workers whose caches are warm, and the others
/// may be stopped. A worker that was never chosen gets a task only while all
/// others are busy; among several such workers, the first one to have joined.
///
/// Cost: O(workers) for each choice.
class most_recently_used final : public libpool::placement {
public:
  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.push_back(&worker);
  }

  void withdrawn(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.erase(std::find(offered_.begin(), offered_.end(), &worker));
  }

  void assigned(libpool::worker&, libpool::task&,
                libpool::instant) noexcept override {
    // The dispatcher keeps `worker::chosen`, and nothing else is needed.
  }

  void unassigned(libpool::worker&, libpool::task&,
                  libpool::instant) noexcept override {
    // Outcomes of tasks do not matter.
  }

  libpool::worker* choose(const libpool::task& task,
                          libpool::instant now) noexcept override {
    return offered_.empty() ? nullptr : choose_among(offered_, task, now);
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return *std::min_element(some.begin(), some.end(), goes_before);
  }

private:
  static bool goes_before(const libpool::worker* x,
                          const libpool::worker* y) noexcept {
    return x->chosen != y->chosen ? x->chosen > y->chosen
                                  : x->number < y->number;
  }

  std::vector<libpool::worker*> offered_;
};

/// Returns a composition: first come, first served, and each task to the worker
/// that was used last.
inline libpool::composition few_warm_workers() {
  libpool::composition out;
  out.order = std::make_unique<libpool::fifo>();
  out.placement = std::make_unique<most_recently_used>();
  return out;
}

#pragma once

#include "libpool/core/order.hpp"
#include "support/watcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace test {

/// Does as another order does, and notes the first law that is broken by the
/// facts for it, or by its answers: a model, if there is one, answers the same.
class watched_order final : public watcher<libpool::order> {
public:
  using watcher::watcher;

  // -- facts ------------------------------------------------------------------

  void added(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::nowhere, place::queue, "only a new task waits");
    tell(&order::added, task, now);
  }

  void removed(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::queue, place::nowhere, "only waiting tasks are removed");
    tell(&order::removed, task, now);
  }

  void dispatched(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::queue, has_flows() ? place::worker : place::nowhere,
         "only waiting tasks are dispatched");
    tell(&order::dispatched, task, now);
  }

  void held(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::queue, place::held, "only waiting tasks are held");
    tell(&order::held, task, now);
  }

  void freed(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::held, place::queue, "only held tasks are freed");
    tell(&order::freed, task, now);
  }

  void unparked(libpool::task& task, libpool::instant now) noexcept override {
    move(task, place::held, place::queue, "only held tasks are freed");
    tell(&order::unparked, task, now);
  }

  void served(const libpool::task& task) noexcept override {
    expect(has_flows(), "served tasks are told to orders that go by flows");
    expect(place_of(task) == place::worker, "only a dispatched task is served");
    ++served_;
    tell(&order::served, task);
  }

  void unassigned(libpool::task& task, std::optional<libpool::duration> ran,
                  libpool::instant now) noexcept override {
    expect(has_flows(), "unassigned tasks are told to orders that go by flows");
    move(task, place::worker, place::nowhere,
         "a dispatched task is unassigned, once");
    expect(ran ? *ran == now - task.started
               : task.is == libpool::task::condition::sent,
           "the order is told for how long a handler has run, if it has");
    tell(&order::unassigned, task, ran, now);
  }

  void refused(const libpool::task& task) noexcept override {
    expect(has_flows(), "refusals are told to orders that go by flows");
    expect(place_of(task) == place::nowhere, "only a new task is refused");
    ++refusals_;
    tell(&order::refused, task);
  }

  void seated(std::size_t seats, libpool::instant now) noexcept override {
    expect(has_flows(), "seats are told to orders that go by flows");
    seats_ = seats;
    tell(&order::seated, seats, now);
  }

  // -- questions --------------------------------------------------------------

  std::int64_t rank(const libpool::task& task) const noexcept override {
    return real_->rank(task);
  }

  bool is_by_arrival() const noexcept override {
    return real_->is_by_arrival();
  }

  bool is_timed() const noexcept override {
    return real_->is_timed();
  }

  bool has_flows() const noexcept override {
    return real_->has_flows();
  }

  bool has_limits() const noexcept override {
    return real_->has_limits();
  }

  libpool::errc objection(const libpool::task& task,
                          libpool::instant now) const noexcept override {
    return real_->objection(task, now);
  }

  std::vector<libpool::flow_stats>
  longest_flows(std::size_t most,
                const libpool::flow_supplement& more) const override {
    return real_->longest_flows(most, more);
  }

  libpool::task* choose(libpool::instant now) noexcept override {
    auto* result = real_->choose(now);
    expect(result == nullptr || place_of(*result) == place::queue,
           "only waiting tasks are chosen");
    expect(model_ == nullptr || model_->choose(now) == result,
           "the order chooses as its model does");
    return result;
  }

  // -- what it knows ----------------------------------------------------------

  /// Whether the order describes its flows as the model does, which does not
  /// list idle flows.
  bool describes_flows_as_model() const {
    if (model_ == nullptr)
      return true;
    constexpr auto all = static_cast<std::size_t>(-1);
    auto rows = real_->flows(all);
    auto modelled = model_->flows(all);
    return std::all_of(modelled.begin(), modelled.end(), [&](auto& expected) {
      return std::any_of(rows.begin(), rows.end(), [&](auto& row) {
        return row.name == expected.name && row.running == expected.running
               && row.waiting == expected.waiting && row.lag == expected.lag;
      });
    });
  }

  std::uint64_t refusals() const noexcept {
    return refusals_;
  }

  std::uint64_t served() const noexcept {
    return served_;
  }

  /// Of the workers that are well, as it was told.
  std::size_t seats() const noexcept {
    return seats_;
  }

private:
  std::uint64_t refusals_ = 0;
  std::uint64_t served_ = 0;
  std::size_t seats_ = 0;
};

} // namespace test

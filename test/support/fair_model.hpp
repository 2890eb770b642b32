#pragma once

#include "libpool/core/order.hpp"
#include "libpool/policies/order/fair_queuing_options.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace test {

/// A queue of fair queuing by the rules, and its history.
struct plain_queue {
  std::string name;
  std::vector<libpool::task*> waiting;
  std::uint64_t held = 0;
  std::uint64_t running = 0;
  std::int64_t next = 0;
  std::uint64_t last_turn = 0;
  std::uint64_t born = 0;
  double share = 1;
  libpool::instant idle_since{};

  // Facts are counted from 1.
  std::uint64_t waits_since = 0; // 0: no task waits to be chosen
  std::uint64_t turn_at = 0;
  std::uint64_t raised_at = 0;
  /// Whether some task has waited at any time since it was idle.
  bool waits_since_idle = false;
  /// Whether it was idle, and owed nothing, before the waiting tasks came.
  bool came_free = false;

  bool is_idle() const {
    return waiting.empty() && held == 0 && running == 0;
  }

  libpool::task* head() const {
    return *std::min_element(
      waiting.begin(), waiting.end(), [](const auto* x, const auto* y) {
        return std::tie(y->rank, x->number) < std::tie(x->rank, y->number);
      });
  }
};

/// Fair queuing in mode exact by plain looks at all queues, with a clock that
/// starts at 0, if no two flows ever share a queue.
class fair_model final : public libpool::order {
public:
  explicit fair_model(const libpool::fair_queuing_options& how) : how_(how) {
    // nop
  }

  // -- facts ------------------------------------------------------------------

  void added(libpool::task& task, libpool::instant now) noexcept override {
    ++facts_;
    arrived_.emplace(task.number, clock_); // kept by tasks that come back
    auto& queue = queue_for(task, now);
    where_[&task] = &queue;
    if (queue.is_idle()) {
      queue.next = std::max(queue.next, clock_);
      queue.came_free = queue.next == clock_;
      queue.waits_since_idle = true;
    } else if (queue.waiting.empty()) {
      queue.came_free = false;
    }
    queue.waiting.push_back(&task);
    end_fact(queue, now, queue.head() == &task);
  }

  void removed(libpool::task& task, libpool::instant now) noexcept override {
    ++facts_;
    auto& queue = *where_.at(&task);
    auto was_head = queue.head() == &task;
    wait_no_more(queue, task);
    end_fact(queue, now, was_head);
  }

  void dispatched(libpool::task& task, libpool::instant now) noexcept override {
    ++facts_;
    auto& queue = *where_.at(&task);
    if (!task.follows)
      clock_ = std::max(clock_, queue.next);
    queue.last_turn = ++turns_;
    queue.turn_at = facts_;
    queue.next += charge(queue, task.attempt().seats, how_.guess);
    ++queue.running;
    wait_no_more(queue, task);
    end_fact(queue, now);
  }

  void held(libpool::task& task, libpool::instant now) noexcept override {
    ++facts_;
    auto& queue = *where_.at(&task);
    wait_no_more(queue, task);
    ++queue.held;
    end_fact(queue, now);
  }

  void unparked(libpool::task& task, libpool::instant now) noexcept override {
    auto& queue = *where_.at(&task);
    if (queue.waiting.empty())
      queue.next = std::max(queue.next, clock_);
    freed(task, now);
  }

  void freed(libpool::task& task, libpool::instant now) noexcept override {
    ++facts_;
    auto& queue = *where_.at(&task);
    --queue.held;
    queue.waiting.push_back(&task);
    end_fact(queue, now, queue.head() == &task);
  }

  void unassigned(libpool::task& task, std::optional<libpool::duration> ran,
                  libpool::instant now) noexcept override {
    ++facts_;
    auto& queue = *where_.at(&task);
    --queue.running;
    queue.next -= charge(queue, task.attempt().seats, how_.guess);
    if (ran)
      queue.next += charge(queue, task.attempt().seats, *ran);
    end_fact(queue, now);
  }

  void seated(std::size_t seats, libpool::instant) noexcept override {
    ++facts_;
    seats_ = seats;
  }

  // -- questions --------------------------------------------------------------

  libpool::task* choose(libpool::instant) noexcept override {
    const plain_queue* best = nullptr;
    for (const auto& queue : queues_) {
      if (queue.waiting.empty())
        continue;
      if (best == nullptr
          || std::tuple{finish_of(queue), queue.last_turn, queue.born}
               < std::tuple{finish_of(*best), best->last_turn, best->born})
        best = &queue;
    }
    return best == nullptr ? nullptr : best->head();
  }

  /// Of all queues that are not idle.
  std::vector<libpool::flow_stats>
  longest_flows(std::size_t, const libpool::flow_supplement&) const override {
    std::vector<libpool::flow_stats> result;
    for (const auto& queue : queues_)
      if (!queue.is_idle()) {
        auto& row = result.emplace_back();
        row.name = queue.name;
        row.running = queue.running;
        row.waiting = queue.waiting.size() + queue.held;
        auto behind = static_cast<double>(clock_ - queue.next);
        row.lag = libpool::duration{
          static_cast<libpool::duration::rep>(behind * queue.share)};
      }
    return result;
  }

  const std::deque<plain_queue>& queues() const {
    return queues_;
  }

  /// By how much the bound on credit has lifted a queue at most, in which some
  /// task has waited at any time since it was idle; times its share.
  double worst_loss() const {
    return worst_loss_;
  }

  /// How often it has lifted any.
  std::uint64_t losses() const {
    return losses_;
  }

private:
  static std::int64_t charge(const plain_queue& queue, std::uint64_t seats,
                             libpool::duration time) {
    auto cost = static_cast<std::int64_t>(seats) * time.count();
    return static_cast<std::int64_t>(static_cast<double>(cost) / queue.share);
  }

  plain_queue& queue_for(const libpool::task& task, libpool::instant now) {
    auto [i, is_new] = flows_.emplace(task.flow.key().name(), nullptr);
    if (is_new) {
      i->second = &queues_.emplace_back();
      i->second->name = i->first;
      if (auto share = how_.shares.find(i->first); share != how_.shares.end())
        i->second->share = share->second;
    }
    auto& result = *i->second;
    auto forgotten = result.is_idle()
                     && (result.next <= clock_
                         || now - result.idle_since >= how_.debt_memory);
    if (is_new || forgotten) {
      result.next = clock_;
      result.last_turn = 0;
      result.born = ++births_;
    }
    return result;
  }

  /// The bound on credit acts when a task becomes the head of its queue, and
  /// when one of the queue ends.
  void end_fact(plain_queue& queue, libpool::instant now,
                bool bounds_credit = true) {
    if (queue.waiting.empty()) {
      queue.waits_since = 0;
      queue.waits_since_idle = false;
      if (queue.is_idle())
        queue.idle_since = now;
      return;
    }
    if (queue.waits_since == 0)
      queue.waits_since = facts_;
    auto least = arrived_.at(queue.head()->number)
                 - charge(queue, seats_, how_.guess);
    if (!bounds_credit || queue.next >= least)
      return;
    if (queue.waits_since_idle) {
      auto loss = static_cast<double>(least - queue.next) * queue.share;
      worst_loss_ = std::max(worst_loss_, loss);
    }
    queue.next = least;
    queue.raised_at = facts_;
    ++losses_;
  }

  static void wait_no_more(plain_queue& queue, libpool::task& task) {
    auto& all = queue.waiting;
    all.erase(std::find(all.begin(), all.end(), &task));
  }

  std::int64_t finish_of(const plain_queue& queue) const {
    std::uint64_t width = queue.head()->notes().width;
    auto seats = seats_ > 0 ? std::min(width, seats_) : width;
    return queue.next + charge(queue, seats, how_.guess);
  }

  const libpool::fair_queuing_options how_;
  std::deque<plain_queue> queues_;
  std::map<std::string, plain_queue*> flows_;
  std::int64_t clock_ = 0;
  std::uint64_t seats_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t births_ = 0;
  std::map<const libpool::task*, plain_queue*> where_;
  std::map<std::uint64_t, std::int64_t> arrived_; // by the numbers of tasks
  std::uint64_t facts_ = 0;
  double worst_loss_ = 0;
  std::uint64_t losses_ = 0;
};

} // namespace test

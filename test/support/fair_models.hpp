#pragma once

#include "libpool/core/task.hpp"
#include "libpool/policies/fair_queuing_options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// A queue of fair queuing as the rules have it, and what happened to it.
struct plain_queue {
  std::string name;
  std::vector<const libpool::task*> waiting;
  std::uint64_t held = 0;
  std::uint64_t running = 0;
  std::uint64_t wanted = 0; // seats, by what waits
  std::int64_t next = 0;
  std::uint64_t last_turn = 0;
  std::uint64_t born = 0;
  double share = 1;
  libpool::instant idle_since{};

  // Facts are counted from 1.
  std::uint64_t waits_since = 0; // 0: nothing waits to be chosen
  std::uint64_t turn_at = 0;
  std::uint64_t raised_at = 0;
  /// Whether something has waited at any time since it was idle.
  bool waits_since_idle = false;
  /// Whether it was idle, and owed nothing, before what waits came.
  bool came_free = false;

  bool is_idle() const {
    return waiting.empty() && held == 0 && running == 0;
  }

  const libpool::task& head() const;
};

/// Fair queuing by plain looks at all queues, with a clock that starts at 0.
/// It is told the facts that an order is told.
class fair_model {
public:
  explicit fair_model(const libpool::fair_queuing_options& how) : how_(how) {
    // nop
  }

  fair_model(const fair_model&) = delete;
  fair_model& operator=(const fair_model&) = delete;
  virtual ~fair_model() = default;

  void added(const libpool::task& task, libpool::instant now);
  void removed(const libpool::task& task, libpool::instant now);
  void dispatched(const libpool::task& task, libpool::instant now);
  void held(const libpool::task& task, libpool::instant now);
  void freed(const libpool::task& task, libpool::instant now);
  void unassigned(const libpool::task& task,
                  std::optional<libpool::duration> ran, libpool::instant now);
  void seated(std::uint64_t seats, libpool::instant now);

  /// Nullptr if nothing waits.
  const libpool::task* choose() const;

  const std::deque<plain_queue>& queues() const {
    return queues_;
  }

  /// Where the task is, or was last.
  const plain_queue& queue_of(const libpool::task& task) const {
    return *where_.at(&task);
  }

  std::int64_t clock() const {
    return clock_;
  }

  std::uint64_t facts() const {
    return facts_;
  }

  /// By how much the bound on credit has lifted a queue at most, in which
  /// something has waited at any time since it was idle; times its share.
  double worst_loss() const {
    return worst_loss_;
  }

  /// How often it has lifted any.
  std::uint64_t losses() const {
    return losses_;
  }

protected:
  virtual void pass(libpool::instant now) = 0;
  virtual plain_queue& queue_for(const libpool::task& task,
                                 libpool::instant now) = 0;
  virtual void woke(plain_queue& which) = 0;
  virtual void gets_turn(plain_queue& which) = 0;
  virtual std::int64_t most_credit(const plain_queue& which) const = 0;
  /// Of two whose heads would end at the same time.
  virtual bool wins_tie(const plain_queue& x, const plain_queue& y) const = 0;

  static std::int64_t charge(const plain_queue& which, std::uint64_t seats,
                             libpool::duration time);

  const libpool::fair_queuing_options how_;
  std::deque<plain_queue> queues_;
  std::int64_t clock_ = 0;
  std::uint64_t seats_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t turns_ = 0;

private:
  void begin_fact(libpool::instant now);
  /// The bound on credit acts when a task becomes the head of its queue, and
  /// when one of the queue ends.
  void end_fact(plain_queue& which, libpool::instant now,
                bool bounds_credit = true);
  std::int64_t finish_of(const plain_queue& which) const;

  std::map<const libpool::task*, plain_queue*> where_;
  std::map<const libpool::task*, std::int64_t> arrived_;
  std::uint64_t facts_ = 0;
  double worst_loss_ = 0;
  std::uint64_t losses_ = 0;
};

/// What the rules make of these options.
std::unique_ptr<fair_model>
plain_model(const libpool::fair_queuing_options& how);

} // namespace test

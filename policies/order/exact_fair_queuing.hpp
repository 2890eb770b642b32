#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/indexed_heap.hpp"
#include "libpool/policies/order/slot_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// Fair queuing with one queue for each flow, for example the tasks of one
/// client. The virtual clock V advances by the service that flows get. The tag
/// `next` of a flow is the virtual time at which its next task would begin. V
/// is the largest `next` that a flow had when one of its tasks went to a
/// worker. A flow that has had more than its share is in debt. Its debt is
/// remembered until V reaches the `next` of the flow, or until the flow has had
/// no task for `debt_memory`. A flow without waiting tasks does not save up
/// service.
///
/// Fairness: a seat is a place for a task at a worker, and the width of a task
/// is the number of seats that the task takes. When a task goes to a worker,
/// its flow is charged the guess, an assumed service time. When the task ends,
/// the charge is corrected. Let G be the guess, C the number of seats of the
/// pool, W the width of the widest task, S the longest service time, M = max(S,
/// G), N = max(S - G, G), and let all shares be 1. While two flows f and g both
/// have waiting tasks, and the bound on credit (below) has no effect,
///
///     |next(f) - next(g)| <= (2W - 1) G + C M,
///
/// and the difference is at most W G + C N once both flows have had a turn in
/// that time, or if both were idle before and had no debt.
///
/// Proof: when f gets a turn, the head of f would end no later than the head of
/// g, so f is ahead of g by at most W G after the turn. Until the next turn of
/// f, f moves ahead by the time that its running tasks take beyond the guess,
/// at most S - G for each seat of f, and g falls back by at most G for each
/// seat that g had at the time. Both together have at most C seats. Before its
/// first turn beside g, f is ahead of V by at most the charges of its last turn
/// and of its running tasks, and g is behind V by at most (W - 1) G plus G for
/// each seat of g. In this case f and g may have had their seats at different
/// times.
///
/// The second bound also holds for the service that the two flows have had,
/// running tasks included: service and charges differ only by terms that the
/// bound contains already. In any interval of such a time, the services of the
/// two flows therefore differ by at most twice the bound, 2 W G + 2 C N.
///
/// If a worker gets several tasks together (a lease), each of them is charged
/// the guess when it is sent. V advances with the first task only, so that a
/// flow without tasks in the lease is not put behind by guesses. In the bounds,
/// C then counts all tasks that were sent and have not ended.
///
/// With shares, charges are divided by the share of the flow. The terms of the
/// bounds are then divided by the smaller share of the two flows. In the first
/// bound they are divided by the smallest share of all flows, with 2 W in place
/// of 2 W - 1, because V may have been set by a flow with a large share, which
/// is charged little for each guess.
///
/// Bound on credit: `next` is at most C G behind the value of V at which the
/// head was accepted, because guesses may set V ahead by this amount. A flow
/// that has always had waiting tasks since it was idle loses at most (W - 2) G
/// of its credit each time that the bound has an effect, and nothing if no task
/// is wider than two seats. With shares, the loss is at most (W - 1) G divided
/// by the share of the flow, and nothing if no task is wider than one seat.
///
/// Limits: a flow that was paused or at its limits, and had no other tasks that
/// could go, is owed nothing for that time: its `next` is at least V when its
/// tasks may go again.
///
/// Source: start-time fair queuing (Goyal, Vin and Cheng 1996), with the
///         corrections of Kubernetes' fair queuing for server requests.
/// Load:   a few hundred bytes for each flow that has tasks or debt. Some flows
///         without tasks and debt are kept, so that `flows` can list them.
/// Order:  among equals, the flow whose last turn is longest ago, then the
///         oldest flow.
/// Cost:   O(log flows) for each change of a task.
/// Errors: std::invalid_argument if an option is out of bounds.
class LIBPOOL_EXPORT exact_fair_queuing final : public fair_queuing {
public:
  /// Makes an order without tasks. The virtual clock, which advances by the
  /// service that flows get, begins at `start`.
  explicit exact_fair_queuing(const fair_queuing_options& options = {},
                              virtual_time start = {});

  void refused(const task& task) noexcept override;
  bool set_shares(const std::map<std::string, double>& shares) override;
  errc objection(const task& task, instant now) const noexcept override;
  flow_line line_for(const task& task) const noexcept override;
  std::vector<flow_stats>
  longest_flows(std::size_t most, const flow_supplement& more) const override;

  task* choose(instant now) noexcept override;

  /// Returns the number of flows that have a queue of their own. Further flows
  /// share queues.
  std::size_t known_flows() const noexcept {
    return table_.size();
  }

protected:
  void pass(instant now) noexcept override;
  fair_queue& queue_for(const task& task, instant now) noexcept override;
  void woke(fair_queue& queue) noexcept override;
  void gets_turn(fair_queue& queue, bool begins) noexcept override;
  std::int64_t most_credit(const fair_queue& queue) const noexcept override;
  void line_up(fair_queue& queue) noexcept override;
  void idled(fair_queue& queue, instant now) noexcept override;

private:
  /// Place of a flow: its slot, which is its index in `flows_`, and the hash
  /// that identifies the flow.
  struct flow_place {
    std::uint64_t hash = 0;
    std::uint32_t slot = 0;
    /// Whether this is one of the queues that several flows share.
    bool is_shared = false;
  };

  /// A flow (the tasks of one tenant or client) and its queue. The members that
  /// are used whenever the flow is chosen are on two cache lines.
  struct alignas(128) flow : flow_place, fair_queue {
    /// Time at which the flow last became idle: without waiting or running
    /// tasks.
    instant idle_since{};
    /// Number of the flow in the order of creation. Decides between flows that
    /// are otherwise equal: the older flow goes first.
    std::uint64_t number = 0;
    std::string name;
  };

  using slots = std::vector<std::unique_ptr<flow>>;

  struct waited_longer {
    bool operator()(std::uint32_t x, std::uint32_t y) const noexcept {
      const auto& left = *(*all)[x];
      const auto& right = *(*all)[y];
      return left.last_turn != right.last_turn
               ? left.last_turn < right.last_turn
               : left.number < right.number;
    }

    const slots* all;
  };

  struct hash_of {
    std::uint64_t operator()(std::uint32_t slot) const noexcept {
      return (*all)[slot]->hash;
    }

    const slots* all;
  };

  flow* known(std::uint64_t hash) const noexcept;
  flow& shared_one(const task& task) const noexcept;
  flow& stranger(const task& task, instant now);
  flow& newcomer(const task& task, instant now);
  flow& new_flow();
  double share_of(const std::string& name) const;
  void settle() noexcept;
  void prefetch(std::uint32_t slot, std::size_t depth) const noexcept;
  bool owes(const flow& queue, instant now) const noexcept;
  bool can_be_forgotten(std::size_t slot, instant now) const noexcept;
  bool has_room_for_one(instant now) const noexcept;
  void forget_some(instant now) noexcept;
  void forget(flow& queue) noexcept;
  std::vector<const flow*>
  compared(std::size_t most, const std::vector<std::uint64_t>& also) const;

  const duration debt_memory_;
  const std::size_t most_flows_;
  std::map<std::string, double> shares_;

  /// All flows; the index of a flow is its slot. The first 64 entries are the
  /// queues that further flows share when `most_flows` flows have queues of
  /// their own.
  slots flows_;
  std::vector<std::uint32_t> free_slots_;
  /// Slots (indices in `flows_`) of the flows that have a queue of their own,
  /// found by the hash of the flow.
  slot_table<hash_of> table_{hash_of{&flows_}};
  /// Slots (indices in `flows_`) of the flows whose first task can be chosen.
  /// Sorted by the virtual time at which this task would end, the earliest
  /// first. The entry of the flow `changed_` may be out of date.
  indexed_heap<waited_longer> ready_{waited_longer{&flows_}};
  /// Flow whose position in `ready_` has to be updated before the next use of
  /// `ready_`; nullptr if there is none.
  flow* changed_ = nullptr;
  /// Index in `flows_` at which the next search begins for a flow that can be
  /// removed, because it has no tasks and has not had more than its share.
  std::size_t hand_ = 0;
  instant now_{};

  std::uint64_t turns_ = 0;
  std::uint64_t numbers_ = 0;
};

} // namespace libpool

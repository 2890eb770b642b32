#pragma once

#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/indexed_heap.hpp"
#include "libpool/policies/slot_table.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// Fair queuing with a queue for each flow, by a clock that starts with them:
/// the virtual time V is the latest `next` of a flow that got a turn. The
/// excess of a flow is never forgiven while that could be told; what it has not
/// asked for it is not owed.
///
/// How fair? Let G be the guess, C the seats, W the widest task, S the longest
/// service time, M = max(S, G), N = max(S - G, G), and all shares 1. While two
/// flows f and g both have something waiting, and the bound on credit does not
/// act,
///
///     |next(f) - next(g)| <= (2W - 1) G + C M,
///
/// and <= W G + C N once each has had a turn in that time, or if both came from
/// idleness and not in debt. For: when f gets a turn, its head would end no
/// later than that of g, so it is ahead of g by at most W G after it. Until it
/// gets the next, it moves ahead by what its running tasks take beyond the
/// guess, at most S - G for each of its seats, and g falls back by at most G
/// for each seat that it had then. Both together have C seats. Before its first
/// turn beside g, a flow is ahead of V by no more than its last turn and its
/// running tasks have charged it, and g is behind V by no more than (W - 1) G
/// and G for each of its seats; these two need not have had their seats at the
/// same time.
///
/// The second bound holds as well for the service that the two have had,
/// running tasks included: that differs from what they are charged by what
/// counts in the bound already. So over any stretch of such a time the services
/// of two flows differ by no more than twice that: 2 W G + 2 C N.
///
/// Where workers go on with messages of a flow (`may_go_on`), such a run counts
/// as one task: S is a guess longer, or 50 microseconds if that is less.
///
/// With shares, charges are divided by them. The terms of the bounds are
/// divided by the smallest share of the two, and in the first one by the
/// smallest of all, with 2 W in place of 2 W - 1: V may have been set by a flow
/// with a large share, whose guesses count for little.
///
/// The bound on credit: `next` is never further behind the V at which the head
/// came than C G, which is what V may be ahead of itself by guesses. A flow
/// that has had something waiting since it came from idleness loses at most
/// (W - 2) G each time that this acts, and nothing if no task is wider than two
/// seats; with shares (W - 1) G by its own, and nothing if none is wider than
/// one.
///
/// Source:  start-time fair queuing (Goyal, Vin and Cheng 1996), with the
///          corrections of Kubernetes' fair queuing for server requests.
/// Load:    of a flow, a few hundred bytes while it has something to do or is
///          in debt; some that have neither are kept for `flows`.
/// Order:   ties go to the flow that had its last turn longest ago, then to the
///          oldest.
/// Cost:    O(log flows) per fact.
/// Errors:  std::invalid_argument if an option is out of bounds.
class exact_fair_queuing final : public fair_queuing {
public:
  /// The virtual clock starts at `start`.
  explicit exact_fair_queuing(const fair_queuing_options& options = {},
                              virtual_time start = {});

  void refused(const task& task) noexcept override;
  errc objection(const task& task, instant now) const noexcept override;
  std::vector<flow_stats> flows(std::size_t most) const override;

  /// A flow that goes on for a guess at most is no further ahead than by a task
  /// that takes that much more. Where flows are limited all has to be known.
  duration may_go_on() const noexcept override {
    return has_limits() ? duration{0} : guess_;
  }

  bool has_waiting(const flow_key& key) const noexcept override;
  task* choose(instant now) noexcept override;

  /// How many flows it knows, shared queues aside.
  std::size_t known_flows() const noexcept {
    return table_.size();
  }

protected:
  void pass(instant now) noexcept override;
  fair_queue& queue_for(const task& task, instant now) noexcept override;
  void woke(fair_queue& queue) noexcept override;
  void gets_turn(fair_queue& queue) noexcept override;
  std::int64_t most_credit(const fair_queue& queue) const noexcept override;
  void line_up(fair_queue& queue) noexcept override;
  void idled(fair_queue& queue, instant now) noexcept override;

private:
  /// Where a flow is among all, and by what it is found.
  struct flow_place {
    std::uint64_t hash = 0;
    std::uint32_t slot = 0;
    /// Shared by flows that have none of their own.
    bool is_shared = false;
  };

  /// What a turn needs is on two cache lines.
  struct alignas(128) flow : flow_place, fair_queue {
    instant idle_since{};
    /// Counts flows as they came.
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

  flow* known(const flow_key& key) const noexcept;
  flow& shared_one(const task& task) const noexcept;
  flow& stranger(const task& task, instant now);
  flow& newcomer(const task& task, instant now);
  flow& new_flow();
  void settle() noexcept;
  void prefetch(std::uint32_t slot, std::size_t depth) const noexcept;
  bool owes(const flow& queue, instant now) const noexcept;
  bool can_be_forgotten(std::size_t slot, instant now) const noexcept;
  bool has_room_for_one(instant now) const noexcept;
  void forget_some(instant now) noexcept;
  void forget(flow& queue) noexcept;

  const duration debt_memory_;
  const std::size_t most_flows_;
  const std::map<std::string, double> shares_;

  /// All flows; the first ones are for flows beyond the most that there may be.
  slots flows_;
  std::vector<std::uint32_t> free_slots_;
  /// The flows that have a queue of their own.
  slot_table<hash_of> table_{hash_of{&flows_}};
  /// With something waiting; `changed_` as it was before it changed.
  indexed_heap<waited_longer> ready_{waited_longer{&flows_}};
  flow* changed_ = nullptr;
  /// The slot at which to look next for a flow that can be forgotten.
  std::size_t hand_ = 0;
  instant now_{};

  std::uint64_t turns_ = 0;
  std::uint64_t numbers_ = 0;
};

} // namespace libpool

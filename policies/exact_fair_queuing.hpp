#pragma once

#include "libpool/policies/fair_queuing.hpp"
#include "libpool/policies/indexed_heap.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace libpool {

/// Fair queuing with a queue for each flow, by a clock that starts with them:
/// the virtual time V is the latest `next` of a flow that got a turn. What a
/// flow has had too much of is never forgiven while anybody could tell; what it
/// has not asked for it is not owed.
///
/// How fair? Let G be the guess, C the seats, W the widest task, S the longest
/// service time, M = max(S, G), and all shares 1. While two flows f and g both
/// have something waiting, and the bound on credit does not act,
///
///     |next(f) - next(g)| <= (2W - 1) G + C M,
///
/// and <= W G + C M once each has had a turn in that time, or if neither came
/// in debt. For: when f gets a turn, its head would end no later than that of
/// g, so it is ahead of g by at most W G after it. Until it gets the next, it
/// moves ahead by what its running tasks take beyond the guess, at most S - G
/// for each of its seats, and g falls back by at most G for each seat that it
/// had then. Both together have C seats. Before its first turn beside g, a flow
/// is ahead of V by no more than its last turn and its running tasks have
/// charged it, and g is behind V by no more than (W - 1) G and G for each of
/// its seats.
///
/// What a flow is served differs from what it is charged by what runs at the
/// time, at most M for each of its seats. So over any stretch of such a time
/// the services of two flows differ by no more than twice the first bound and
/// 2 C M: 2 W G + 4 C M where the tighter one holds. With shares, what is in
/// these bounds is divided by the smallest one.
///
/// The bound on credit: `next` is never further behind the V at which the head
/// came than C G, which is what V may be ahead of itself by guesses. A flow
/// that has had something waiting since it came from idleness loses at most
/// (W - 1) G each time that this acts, and nothing if all its tasks are one
/// seat wide.
///
/// Source:  start-time fair queuing (Goyal, Vin and Cheng 1996), with the
///          corrections of Kubernetes' fair queuing for server requests.
/// Load:    of a flow, a few hundred bytes while it has something to do or is
///          in debt; the last ones of the others are kept for `flows`.
/// Order:   ties go to the flow that had its last turn longest ago, then to the
///          oldest.
/// Cost:    O(log flows) per fact.
/// Errors:  std::invalid_argument if an option is out of bounds.
class exact_fair_queuing final : public fair_queuing {
public:
  /// The virtual clock starts at `start`.
  explicit exact_fair_queuing(const order_options& options = {},
                              virtual_time start = {});

  ~exact_fair_queuing() override;

  void refused(const task& what) noexcept override;
  errc objection(const task& what) const noexcept override;
  std::vector<flow_stats> flows(std::size_t most) const override;
  task* choose(instant now) noexcept override;

  /// How many flows it knows, shared queues aside.
  std::size_t known_flows() const noexcept {
    return table_.size();
  }

protected:
  void pass(instant now) noexcept override;
  fair_queue& queue_for(const task& what, instant now) noexcept override;
  void woke(fair_queue& which) noexcept override;
  void gets_turn(fair_queue& which) noexcept override;
  std::int64_t most_credit(const fair_queue& which) const noexcept override;
  void line_up(fair_queue& which) noexcept override;
  void idled(fair_queue& which, instant now) noexcept override;

private:
  struct alignas(128) flow : fair_queue {
    boost::intrusive::unordered_set_member_hook<> table_hook;
    std::uint64_t hash = 0;
    /// Where it is among all.
    std::uint32_t slot = 0;
    /// Shared by flows that have none of their own.
    bool is_shared = false;
    boost::intrusive::list_member_hook<> idle_hook;
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
    using type = std::uint64_t;

    type operator()(const flow& which) const noexcept {
      return which.hash;
    }
  };

  /// The key of a flow is a hash already.
  struct as_it_is {
    std::size_t operator()(std::uint64_t hash) const noexcept {
      return static_cast<std::size_t>(hash);
    }
  };

  using flow_heap = indexed_heap<waited_longer>;
  using flow_list = boost::intrusive::list<
    flow, boost::intrusive::member_hook<
            flow, boost::intrusive::list_member_hook<>, &flow::idle_hook>>;
  using flow_table = boost::intrusive::unordered_set<
    flow,
    boost::intrusive::member_hook<
      flow, boost::intrusive::unordered_set_member_hook<>, &flow::table_hook>,
    boost::intrusive::key_of_value<hash_of>, boost::intrusive::hash<as_it_is>,
    boost::intrusive::equal<std::equal_to<>>,
    boost::intrusive::power_2_buckets<true>>;

  flow* known(const task& what) noexcept;
  flow& shared_one(const task& what) const noexcept;
  bool make_room();
  flow& newcomer(const task& what);
  flow& new_flow();
  void use(flow& which) noexcept;
  void settle_debts(instant now) noexcept;
  void remember(flow& which) noexcept;
  void forget(flow& which) noexcept;
  void grow();

  const duration debt_memory_;
  const std::size_t most_flows_;
  const std::map<std::string, double> shares_;

  /// All flows; the first ones are for those beyond the most that there may be.
  slots flows_;
  std::vector<std::uint32_t> free_slots_;
  /// Those that have a queue of their own, by hash.
  std::vector<flow_table::bucket_type> buckets_;
  flow_table table_;
  /// With something waiting.
  flow_heap ready_{waited_longer{&flows_}};
  /// With nothing to do, and in debt; the same by when that began.
  flow_heap indebted_{waited_longer{&flows_}};
  flow_list debtors_;
  /// With nothing to do, nor to pay: as good as forgotten.
  flow_list remembered_;

  std::uint64_t turns_ = 0;
  std::uint64_t numbers_ = 0;
};

} // namespace libpool

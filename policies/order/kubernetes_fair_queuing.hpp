#pragma once

#include "libpool/export.hpp"
#include "libpool/policies/order/fair_queuing.hpp"
#include "libpool/policies/order/shuffle_sharding.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace libpool {

/// Fair queuing as in Kubernetes, for comparison, and for users who rely on
/// this algorithm. A fixed number of queues is shared by all flows, such as
/// clients or tenants. Each flow uses a few of the queues (`shuffle_sharding`).
/// A task waits in the queue of its flow that has the least waiting work.
/// Virtual time, by which queues take turns, advances at the rate at which each
/// queue with tasks would be served: the number of seats (places at workers)
/// that waiting and running tasks take, at most all seats, divided by the
/// number of queues with tasks.
///
/// The algorithm is unfair in two ways. A queue that used less than its share,
/// because its flows had few tasks, later gets more than its share. A queue
/// that used more than its share is forgiven as soon as the queue is idle.
/// `exact_fair_queuing` has neither problem.
///
/// Source: Kubernetes, apiserver/pkg/util/flowcontrol/fairqueuing/queueset.
/// Load:   a fixed number of queues; flows need no memory, but may share
///         queues.
/// Order:  among equals, the first queue in cyclic order after the queue that
///         had the last turn.
/// Cost:   O(log queues) for each change of a task, and O(hand_size^2) for a
///         task that arrives.
/// Errors: std::invalid_argument if an option is out of bounds.
class LIBPOOL_EXPORT kubernetes_fair_queuing final : public fair_queuing {
public:
  /// Makes an order without tasks. The virtual clock, which advances by the
  /// service that queues get, begins at `start`.
  explicit kubernetes_fair_queuing(const fair_queuing_options& options = {},
                                   virtual_time start = {});

  ~kubernetes_fair_queuing() override;

  void refused(const task& task) noexcept override;
  errc objection(const task& task, instant now) const noexcept override;
  std::vector<flow_stats>
  longest_flows(std::size_t most, const flow_supplement& more) const override;
  task* choose(instant now) noexcept override;

protected:
  void pass(instant now) noexcept override;
  fair_queue& queue_for(const task& task, instant now) noexcept override;
  void woke(fair_queue& queue) noexcept override;
  void gets_turn(fair_queue& queue, bool begins) noexcept override;
  std::int64_t most_credit(const fair_queue& queue) const noexcept override;
  void line_up(fair_queue& queue) noexcept override;
  void idled(fair_queue& queue, instant now) noexcept override;

private:
  struct numbered_queue : fair_queue {
    std::size_t number = 0;
    virtual_time finish;
    boost::intrusive::set_member_hook<> hook;
  };

  /// Search key with which `ends_sooner` finds the position of a queue: the
  /// virtual time at which the next task of the queue would end, and the number
  /// of the queue.
  struct place {
    virtual_time finish;
    std::size_t number = 0;
  };

  struct ends_sooner {
    template <class X, class Y>
    bool operator()(const X& x, const Y& y) const noexcept {
      return x.finish != y.finish ? x.finish < y.finish : x.number < y.number;
    }
  };

  using queues_by_finish = boost::intrusive::set<
    numbered_queue, boost::intrusive::compare<ends_sooner>,
    boost::intrusive::member_hook<numbered_queue,
                                  boost::intrusive::set_member_hook<>,
                                  &numbered_queue::hook>>;

  std::size_t queue_of(const task& task) const noexcept;

  const shuffle_sharding dealer_;
  std::vector<numbered_queue> queues_;
  queues_by_finish ready_;
  std::size_t active_ = 0;
  std::size_t last_ = 0; // number of the queue that had the last turn
  std::uint64_t arrivals_ = 0;
  std::optional<instant> now_;
  mutable std::vector<std::size_t> hand_;
};

} // namespace libpool

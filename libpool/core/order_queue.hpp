#pragma once

namespace libpool {

/// Base class of the queues of an order (the part of a policy that chooses the
/// next waiting task) that has several queues, such as one for each flow. Only
/// the first task of a queue can be chosen. Only the order knows the content.
struct order_queue {
  order_queue() = default;
  order_queue(const order_queue&) = delete;
  order_queue& operator=(const order_queue&) = delete;

protected:
  ~order_queue() = default;
};

} // namespace libpool

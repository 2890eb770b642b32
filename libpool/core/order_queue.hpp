#pragma once

namespace libpool {

/// One queue of an order that has several queues. Only the first task of a
/// queue can be chosen. The content of a queue is known only to its order.
struct order_queue {
  order_queue() = default;
  order_queue(const order_queue&) = delete;
  order_queue& operator=(const order_queue&) = delete;

protected:
  ~order_queue() = default;
};

} // namespace libpool

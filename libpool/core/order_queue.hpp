#pragma once

namespace libpool {

/// A queue of an order that has several, and by it the tasks that wait for the
/// same turn: only the next of these tasks can go. Only the order knows the
/// content of a queue.
struct order_queue {
  order_queue() = default;
  order_queue(const order_queue&) = delete;
  order_queue& operator=(const order_queue&) = delete;

protected:
  ~order_queue() = default;
};

} // namespace libpool

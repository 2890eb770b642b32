#pragma once

namespace libpool {

/// One queue of an order that has several. The tasks in a queue wait for the
/// same turn: only the next one of them can go. Only the order knows the
/// content of a queue.
struct order_queue {
  order_queue() = default;
  order_queue(const order_queue&) = delete;
  order_queue& operator=(const order_queue&) = delete;

protected:
  ~order_queue() = default;
};

} // namespace libpool

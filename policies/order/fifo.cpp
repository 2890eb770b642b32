#include "libpool/policies/order/fifo.hpp"

namespace libpool {

void fifo::added(task& task, instant) noexcept {
  waiting_.add(task);
}

void fifo::removed(task& task, instant) noexcept {
  waiting_.remove(task);
}

task* fifo::choose(instant) noexcept {
  return waiting_.empty() ? nullptr : &waiting_.front();
}

task* fifo::newest(task&) noexcept {
  return &waiting_.newest();
}

} // namespace libpool

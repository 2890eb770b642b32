#include "libpool/policies/fifo.hpp"

namespace libpool {

void fifo::added(task& what, instant) noexcept {
  waiting_.insert(waiting_.end(), what);
}

void fifo::removed(task& what, instant) noexcept {
  waiting_.erase(waiting_.iterator_to(what));
}

task* fifo::choose(instant) noexcept {
  return waiting_.empty() ? nullptr : &*waiting_.begin();
}

} // namespace libpool

#pragma once

#include "libpool/core/instant.hpp"

#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <deque>

namespace libpool {

/// Messages that a busy pool has taken notice of but not made tasks of, first
/// come, first served. So a flood of messages needs no memory but its own, and
/// the few tasks that are in use stay in the caches.
class backlog {
public:
  backlog() = default;
  backlog(const backlog&) = delete;
  backlog& operator=(const backlog&) = delete;

  ~backlog() {
    while (!empty())
      take();
  }

  bool empty() const noexcept {
    return first_ == nullptr;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  /// When the first one came.
  /// @pre not empty
  instant since() const noexcept {
    return times_.front().came;
  }

  void add(caf::mailbox_element_ptr element, instant now) {
    auto* added = element.release();
    added->next = nullptr;
    (empty() ? first_ : last_->next) = added;
    last_ = added;
    ++size_;
    if (times_.empty() || times_.back().came != now)
      times_.push_back({now, 0});
    ++times_.back().count;
  }

  /// Takes out the first one.
  /// @pre not empty
  caf::mailbox_element_ptr take() noexcept {
    auto* taken = static_cast<caf::mailbox_element*>(first_);
    first_ = taken->next;
    --size_;
    if (--times_.front().count == 0)
      times_.pop_front();
    return caf::mailbox_element_ptr{taken};
  }

private:
  using node = caf::mailbox_element::node_pointer;

  struct arrival {
    instant came;
    std::size_t count;
  };

  node first_ = nullptr;
  node last_ = nullptr;
  std::size_t size_ = 0;
  std::deque<arrival> times_;
};

} // namespace libpool

#include "libpool/core/node_side.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <variant>

namespace libpool {

void node_side::told(const node_message& what) {
  if (!is_cut_off_)
    std::visit([this](const auto& message) { take(message); }, what);
}

void node_side::take(const tasks_sent& what) {
  queue_.insert(queue_.end(), what.tasks.begin(), what.tasks.end());
}

void node_side::take(const steal_request& what) {
  auto count = std::min(what.max, queue_.size());
  if (count == 0) {
    messages_.emplace_back(steal_refused{what.id});
    return;
  }
  auto first = queue_.end() - static_cast<std::ptrdiff_t>(count);
  messages_.emplace_back(steal_granted{what.id, {first, queue_.end()}});
  queue_.erase(first, queue_.end());
}

std::optional<task_number> node_side::start() {
  if (queue_.empty())
    return std::nullopt;
  auto what = queue_.front();
  running_.push_back(what);
  queue_.pop_front();
  return what;
}

void node_side::finished(task_number what, ending how) {
  auto found = std::find(running_.begin(), running_.end(), what);
  if (found == running_.end())
    return;
  running_.erase(found);
  if (!is_cut_off_)
    messages_.emplace_back(task_done{what, how});
}

void node_side::cut_off() noexcept {
  is_cut_off_ = true;
  queue_.clear();
  messages_.clear();
}

} // namespace libpool

#include "libpool/nodes/node_side.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <utility>
#include <variant>

namespace libpool {

void node_side::told(const node_message& received) {
  if (!is_cut_off_)
    std::visit([this](const auto& message) { take(message); }, received);
}

void node_side::take(const tasks_sent& sent) {
  queue_.insert(queue_.end(), sent.tasks.begin(), sent.tasks.end());
}

void node_side::take(const steal_request& request) {
  auto count = std::min(request.max, queue_.size());
  if (count == 0) {
    messages_.emplace_back(steal_refused{request.id});
    return;
  }
  auto first = queue_.end() - static_cast<std::ptrdiff_t>(count);
  messages_.emplace_back(steal_granted{request.id, {first, queue_.end()}});
  queue_.erase(first, queue_.end());
}

std::optional<task_number> node_side::start() {
  if (queue_.empty())
    return std::nullopt;
  auto task = queue_.front();
  running_.push_back(task);
  queue_.pop_front();
  return task;
}

void node_side::finished(task_number task, ending how) {
  auto found = std::find(running_.begin(), running_.end(), task);
  if (found == running_.end())
    return;
  running_.erase(found);
  if (!is_cut_off_)
    messages_.emplace_back(task_done{task, how});
}

bool node_side::withdrawn(task_number task) {
  auto found = std::find(running_.begin(), running_.end(), task);
  if (found == running_.end())
    return false;
  running_.erase(found);
  return !is_cut_off_;
}

std::vector<task_number> node_side::forget(std::vector<task_number> tasks) {
  std::sort(tasks.begin(), tasks.end());
  std::vector<task_number> result;
  std::deque<task_number> kept;
  for (auto each : queue_)
    if (std::binary_search(tasks.begin(), tasks.end(), each))
      result.push_back(each);
    else
      kept.push_back(each);
  queue_ = std::move(kept);
  return result;
}

void node_side::cut_off() noexcept {
  is_cut_off_ = true;
  queue_.clear();
  messages_.clear();
}

} // namespace libpool

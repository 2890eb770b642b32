#include "waiting.hpp"

#include <algorithm>
#include <utility>

namespace poolsim {

waiting_tasks::waiting_tasks(std::size_t lines) : lines_(lines) {
  for (std::size_t i = 0; i < lines; ++i)
    lines_[i].flow = i;
}

void waiting_tasks::add(waiting_task task) {
  auto& line = of(task.from.work->flow);
  line.tasks.push_back(task);
  ++size_;
  look_at(line);
}

void waiting_tasks::put_back(waiting_task task) {
  auto& line = of(task.from.work->flow);
  auto came_before = [](const waiting_task& x, const waiting_task& y) {
    return x.id < y.id;
  };
  line.tasks.insert(
    std::upper_bound(line.tasks.begin(), line.tasks.end(), task, came_before),
    task);
  ++size_;
  look_at(line);
}

waiting_task waiting_tasks::take(waiting_line& from) {
  auto result = from.tasks.front();
  from.tasks.pop_front();
  --size_;
  return result;
}

void waiting_tasks::set_head(waiting_line& of, job& head) {
  of.head = &head;
  ++heads_;
}

waiting_task waiting_tasks::take_with_head(waiting_line& from) {
  from.head = nullptr;
  --heads_;
  look_at(from);
  return take(from);
}

waiting_line* waiting_tasks::next_without_head() {
  while (!looked_at_.empty()) {
    auto& line = *looked_at_.back();
    looked_at_.pop_back();
    line.is_looked_at = false;
    if (!line.tasks.empty())
      return &line;
  }
  return nullptr;
}

void waiting_tasks::look_at(waiting_line& line) {
  if (line.is_looked_at || line.head != nullptr)
    return;
  line.is_looked_at = true;
  looked_at_.push_back(&line);
}

} // namespace poolsim

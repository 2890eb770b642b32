#include "libpool/core/task.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

const task_notes task_notes::none;

const attempt attempt::none;

void task::make_attempt() {
  attempt_ = std::make_unique<libpool::attempt>();
}

void task::make_notes() {
  if (notes_ == nullptr)
    notes_ = std::make_unique<task_notes>();
  has_notes_ = true;
}

void task::drop_notes() noexcept {
  auto owned = std::move(notes_->owned);
  *notes_ = task_notes{};
  notes_->owned = std::move(owned);
  has_notes_ = false;
}

duration move_to(const task& task, worker_number to) noexcept {
  const auto& notes = task.notes();
  if (notes.home && *notes.home == to)
    return duration{0};
  if (notes.moves == nullptr)
    return notes.move;
  auto i = static_cast<std::size_t>(to);
  return i < notes.moves->size() ? (*notes.moves)[i] : notes.move;
}

duration dearest_move(const task& task) noexcept {
  const auto& notes = task.notes();
  auto result = notes.move;
  if (notes.moves != nullptr)
    for (auto each : *notes.moves)
      result = std::max(result, each);
  return result;
}

} // namespace libpool

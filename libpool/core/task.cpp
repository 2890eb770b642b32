#include "libpool/core/task.hpp"

#include <algorithm>

namespace libpool {

const task_notes task_notes::none;

const attempt attempt::none;

void task::make_parts() {
  parts_ = std::make_unique<task_parts>();
}

void task::make_attempt() {
  if (parts_ == nullptr)
    make_parts();
  else
    parts_->attempt = {};
  has_attempt_ = true;
}

void task::make_notes() {
  if (parts_ == nullptr)
    make_parts();
  if (parts_->notes == nullptr)
    parts_->notes = std::make_unique<task_notes>();
  has_notes_ = true;
}

void task::drop_notes() noexcept {
  parts_->notes->begin_anew();
  has_notes_ = false;
}

void task_notes::begin_anew() noexcept {
  width = 1;
  priority = 0;
  where = nullptr;
  home.reset();
  key.reset();
  estimate.reset();
  move = duration{0};
  moves = nullptr;
  asker = nullptr;
  asking = nullptr;
  trace = nullptr;
  kind_name = nullptr;
  recorded_client = 0;
  run_key.reset();
  bytes = 0;
  awaited = 0;
  crashes = errors = steals = 0;
  not_before = never;
  gate = nullptr;
  run = nullptr;
  ran_with = nullptr;
}

duration move_to(const task& task, worker_number worker) noexcept {
  const auto& notes = task.notes();
  if (notes.home && *notes.home == worker)
    return duration{0};
  if (notes.moves == nullptr)
    return notes.move;
  auto i = static_cast<std::size_t>(worker);
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

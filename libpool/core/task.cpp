#include "libpool/core/task.hpp"

#include <algorithm>

namespace libpool {

const task_notes task_notes::none;

const attempt attempt::none;

void task::make_attempt() {
  if (attempt_ == nullptr)
    attempt_ = std::make_unique<libpool::attempt>();
  else
    *attempt_ = {};
  has_attempt_ = true;
}

void task::make_notes() {
  if (notes_ == nullptr)
    notes_ = std::make_unique<task_notes>();
  has_notes_ = true;
}

void task::drop_notes() noexcept {
  notes_->begin_anew();
  has_notes_ = false;
}

void task_notes::begin_anew() noexcept {
  if (!flow.name().empty())
    flow = flow_key{};
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
  awaited = 0;
  crashes = errors = steals = 0;
  not_before = never;
  gate = nullptr;
  ordered.reset();
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

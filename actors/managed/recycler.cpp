#include "libpool/actors/managed/recycler.hpp"

#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/port/return_path.hpp"

namespace libpool {

const task_extras task_extras::none;

namespace {

void clear(task_extras& extras) {
  if (extras.interceptor != nullptr)
    extras.interceptor->task = nullptr;
  extras.interceptor = nullptr;
  extras.patience = std::nullopt;
  extras.packed = caf::message{};
  extras.is_packed = extras.awaits_answer = extras.answered_with_error = false;
  extras.facts = nullptr;
  extras.client = nullptr;
  extras.worker = nullptr;
  extras.last_worker = std::nullopt;
  extras.node.clear();
  if (extras.note.is_made || extras.note.asker != nullptr)
    extras.note = {};
  extras.id = caf::message_id{};
  extras.crash.clear();
  extras.stand_in = nullptr;
  extras.from_outer = nullptr;
  if (extras.to_inner != nullptr)
    std::exchange(extras.to_inner, nullptr)->task = nullptr;
  let_go(std::move(extras.outer));
}

/// Clears what only tasks have that may share runs.
void clear_run(task_extras& extras) {
  extras.answer = {};
  extras.joined = 0;
  extras.single = nullptr;
  extras.parts.clear();
}

} // namespace

void recycler::forget_notes(managed_task& task) {
  if (task.notes().owned != nullptr)
    clear(task.own_extras());
  if (task.notes().run_key)
    clear_run(task.own_extras());
  task.forget_notes();
}

} // namespace libpool

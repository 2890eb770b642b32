#include "libpool/actors/managed/recycler.hpp"

#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/port/return_path.hpp"

namespace libpool {

void recycler::clear_extras(managed_task& task) {
  if (task.interceptor != nullptr)
    task.interceptor->task = nullptr;
  task.interceptor = nullptr;
  task.content = caf::message{};
  task.facts = nullptr;
  task.client = nullptr;
  task.worker = nullptr;
  task.last_worker = std::nullopt;
  task.node.clear();
  task.note = {};
  task.trace = nullptr;
  task.id = caf::message_id{};
  task.crash.clear();
  task.answered_with_error = false;
  task.stand_in = nullptr;
  task.from_outer = nullptr;
  if (task.to_inner != nullptr)
    std::exchange(task.to_inner, nullptr)->task = nullptr;
  libpool::let_go(std::move(task.outer));
}

} // namespace libpool

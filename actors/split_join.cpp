#include "libpool/actors/split_join.hpp"

#include "libpool/actors/collector.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

/// Who gets what: only workers that exist and have something to do.
worker_tasks split(split_task& task, const actor_vec& workers,
                   caf::message& what) {
  worker_tasks tasks;
  tasks.reserve(workers.size());
  for (auto& worker : workers)
    tasks.emplace_back(worker, caf::message{});
  task.split(tasks, what);
  auto is_idle = [](const auto& each) {
    return each.second.empty() || !each.first;
  };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), is_idle), tasks.end());
  return tasks;
}

class split_join final : public direct_policy {
public:
  split_join(std::unique_ptr<split_task> task, split_join_options options)
    : task_(std::move(task)), options_(options) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<split_join>(task_->clone(), options_);
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& what,
                caf::execution_unit* host) override {
    auto task = task_->clone();
    auto content = what->move_content_to_message();
    worker_tasks tasks;
    try {
      tasks = split(*task, workers, content);
    } catch (...) { // the pool refuses the message, with its content
      what = caf::make_mailbox_element(what->sender, what->mid, what->stages,
                                       std::move(content));
      throw;
    }
    auto& system = workers.front()->home_system();
    caf::actor_config cfg{host};
    auto handle = caf::make_actor<collector, caf::actor>(
      system.next_actor_id(), system.node(), &system, cfg, std::move(task),
      options_, return_path{what->sender, what->mid, what->stages});
    auto* self = caf::actor_cast<caf::abstract_actor*>(handle);
    static_cast<collector*>(self)->begin(std::move(tasks), host);
  }

private:
  std::unique_ptr<split_task> task_;
  split_join_options options_;
};

} // namespace

std::unique_ptr<direct_policy> make_split_join(std::unique_ptr<split_task> task,
                                               split_join_options options) {
  if (options.timeout && *options.timeout <= std::chrono::nanoseconds{0})
    throw std::invalid_argument("libpool: split_join: timeout must be more "
                                "than 0");
  return std::make_unique<split_join>(std::move(task), options);
}

} // namespace libpool

#include "libpool/actors/split_join.hpp"

#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/gather/collector.hpp"
#include "libpool/actors/gather/collectors.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/policies/gather/gather_parts.hpp"

#include <algorithm>
#include <utility>

namespace libpool {

namespace {

/// The tasks that the split gives to workers, without empty ones and ones for
/// other actors.
worker_tasks split_by(const splitter& split, const actor_vec& workers,
                      caf::message& message) {
  worker_tasks tasks;
  tasks.reserve(workers.size());
  for (auto& worker : workers)
    tasks.emplace_back(worker, caf::message{});
  auto mine = split; // other threads split at the same time
  call_user("split", mine, tasks, message);
  auto is_idle = [](const auto& each) {
    return each.second.empty() || !each.first;
  };
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(), is_idle), tasks.end());
  return tasks;
}

class split_join final : public direct_policy {
public:
  split_join(splitter split, std::unique_ptr<joiner> join,
             const gather_options& options)
    : split_(std::move(split)),
      join_(std::move(join)),
      options_(options),
      collectors_(std::make_shared<collectors>(
        std::make_shared<const gather_parts>(options), options.ordered)) {
    // nop
  }

  split_join(const split_join&) = delete;
  split_join& operator=(const split_join&) = delete;

  ~split_join() override {
    collectors_->close();
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<split_join>(split_, join_->clone(), options_);
  }

  bool looks_at_messages() const noexcept override {
    return false; // a collector keeps the message of another pool
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    auto content = take_content(*element);
    worker_tasks tasks;
    std::unique_ptr<joiner> join;
    try {
      join = join_->clone();
      tasks = split_by(split_, workers, content);
    } catch (...) { // the pool refuses the message, with its content
      put_back(element, std::move(content));
      throw;
    }
    auto taken = take_collector(workers.front()->home_system(), collectors_);
    collector_behind(taken).ask(std::move(tasks), std::move(join),
                                std::move(element), host);
  }

private:
  const splitter split_;
  const std::unique_ptr<const joiner> join_;
  const gather_options options_;
  const std::shared_ptr<collectors> collectors_;
};

} // namespace

std::unique_ptr<direct_policy> make_split_join(splitter split,
                                               std::unique_ptr<joiner> join,
                                               gather_options options) {
  return std::make_unique<split_join>(std::move(split), std::move(join),
                                      options);
}

} // namespace libpool

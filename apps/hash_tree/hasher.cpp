#include "hasher.hpp"

#include "port/sending.hpp"

namespace hash_tree {

hasher::hasher(caf::actor_config& cfg, caf::actor_addr listener,
               run_state& state, worker_tally& tally)
  : caf::event_based_actor(cfg),
    listener_(std::move(listener)),
    state_(state),
    tally_(tally) {
  // nop
}

caf::behavior hasher::make_behavior() {
  return {
    [this](const batch& batch) {
      auto answer = hash(batch);
      report_end(batch);
      return answer;
    },
  };
}

outcomes hasher::hash(const batch& batch) {
  outcomes answer;
  answer.files.reserve(batch.files.size());
  for (const auto& file : batch.files)
    answer.files.push_back(hash(file));
  return answer;
}

outcome hasher::hash(const file_task& task) {
  const auto got = hasher_.hash(task.path, state_.stop, tally_.bytes);
  tally_.files.fetch_add(1, std::memory_order_relaxed);
  return {task.number, got.value, got.size, got.error};
}

void hasher::report_end(const batch& batch) {
  if (auto listener = caf::actor_cast<caf::actor>(listener_))
    port::send(this, listener, finished_atom{}, batch.id);
}

} // namespace hash_tree

#include "hasher.hpp"

namespace hash_tree {

hasher::hasher(caf::actor_config& cfg, caf::actor_addr driver, run_state& state,
               worker_tally& tally)
  : caf::event_based_actor(cfg),
    driver_(std::move(driver)),
    state_(state),
    tally_(tally) {
  // nop
}

caf::behavior hasher::make_behavior() {
  return {
    [this](const batch& what) {
      auto answer = hash(what);
      report_end(what);
      return answer;
    },
  };
}

outcomes hasher::hash(const batch& what) {
  outcomes answer;
  answer.files.reserve(what.files.size());
  for (const auto& file : what.files)
    answer.files.push_back(hash(file));
  return answer;
}

outcome hasher::hash(const file_task& what) {
  const auto got = hasher_.hash(what.path, state_.stop, tally_.bytes);
  tally_.files.fetch_add(1, std::memory_order_relaxed);
  return {what.number, got.value, got.size, got.error};
}

void hasher::report_end(const batch& what) {
  if (auto driver = caf::actor_cast<caf::actor>(driver_))
    send(driver, finished_atom::value, what.id);
}

} // namespace hash_tree

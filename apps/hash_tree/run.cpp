#include "run.hpp"

#include "clock.hpp"
#include "driver.hpp"
#include "libpool/actors/error.hpp"
#include "walk.hpp"

#include <caf/actor_registry.hpp>

#include <mutex>
#include <stdexcept>
#include <thread>

namespace hash_tree {

namespace {

/// A walk that many threads take from.
class shared_walk {
public:
  explicit shared_walk(const job& job) : files_(job.paths, job.follow) {
    // nop
  }

  std::optional<found> next() {
    const std::lock_guard<std::mutex> guard{mutex_};
    return files_.next();
  }

private:
  std::mutex mutex_;
  walk files_;
};

void hash_all(shared_walk& files, run_state& state, worker_tally& tally) {
  file_hasher hasher;
  while (auto item = files.next()) {
    if (state.stop)
      return;
    if (item->is == found::kind::regular)
      hasher.hash(item->path, state.stop, tally.bytes);
    tally.files.fetch_add(1, std::memory_order_relaxed);
    state.files_done.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Waits until the actor has ended.
caf::error await_end(caf::scoped_actor& self, const caf::actor& driver) {
  caf::error reason;
  self->monitor(driver);
  self->receive([&](const caf::down_msg& down) { reason = down.reason; });
  return reason;
}

} // namespace

double run_pool(caf::actor_system& system, const pool_policy& policy,
                const job& job, sink& out, run_state& state) {
  const auto started = now();
  walk files{job.paths, job.follow};
  caf::scoped_actor self{system};
  const auto others = system.registry().running();
  auto reason = await_end(
    self, system.spawn<driver, caf::detached>(policy, job, files, out, state));
  // No worker may outlive this call, since workers refer to its locals.
  system.registry().await_running_count_equal(others);
  if (reason && reason != caf::exit_reason::user_shutdown)
    throw std::runtime_error(libpool::render(reason, system));
  return now() - started;
}

double run_threads(const job& job, run_state& state) {
  const auto started = now();
  shared_walk files{job};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < job.workers; ++i)
    threads.emplace_back([&, i] { hash_all(files, state, state.tallies[i]); });
  for (auto& thread : threads)
    thread.join();
  return now() - started;
}

} // namespace hash_tree

#pragma once

#include "job_queue.hpp"
#include "options.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>

namespace durable {

/// Feeds a pool from a durable queue. It takes jobs while the pool has room,
/// and reports the outcome of each job to the queue when the pool settles it.
/// Its log has a line for each delivery and for each end.
///
/// It waits for the queue, and so needs a thread of its own (`caf::detached`).
/// It must be the only user of the queue in this process. It ends when `stop`
/// is set and it has no job left; with `until_empty`, also when the queue has
/// no job at any process.
class feeder : public caf::event_based_actor {
public:
  /// @pre objects that are given by reference outlive the actor system
  feeder(caf::actor_config& cfg, job_queue& queue, work_options options,
         std::function<caf::actor()> make_worker, std::ostream& log,
         const std::atomic<bool>& stop);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  struct job_in_pool {
    delivery job;
    /// Error with which the worker has answered, if any.
    caf::error answer;
  };

  void spawn_pool();
  void take();
  void take_later(duration pause);
  void begin(const delivery& job);
  void hand_to_pool(const delivery& job);
  void settled(std::uint64_t request, bool succeeded, const caf::error& why);
  void end(const delivery& job, bool succeeded, const std::string& why);
  void reassure();
  std::size_t room() const;
  bool is_over();
  void note(const char* event, const delivery& job, const std::string& more);

  job_queue& queue_;
  const work_options options_;
  const std::function<caf::actor()> make_worker_;
  std::ostream& log_;
  const std::atomic<bool>& stop_;
  caf::actor pool_;
  /// Jobs in the pool, by the number of the request.
  std::map<std::uint64_t, job_in_pool> in_pool_;
  /// Whether a message to take jobs was sent and has not arrived.
  bool will_take_ = false;
};

} // namespace durable

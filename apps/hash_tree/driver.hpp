#pragma once

#include "job.hpp"
#include "messages.hpp"
#include "policies.hpp"
#include "reorder_window.hpp"
#include "results.hpp"
#include "walk.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hash_tree {

/// The client of the pool: takes files from the walk, requests their digests,
/// and passes the results on in the order of the walk. Small neighbours travel
/// in one request, as far as the policy allows it.
///
/// Load:   at most 32 files per worker are on their way, counted until the last
///         worker that works on one is through with it; the pool's policies
///         do not hold senders back, so this does.
/// Order:  files are requested in the order of the walk. To request big ones
///         first would make the end come sooner by no more than what else is on
///         its way takes; and to sort waiting files is up to the pool's policy,
///         hence the sizes in the requests. Results that come early wait, at
///         most 8192 of them.
/// Time:   with `stop` set, ends as soon as the workers have noticed it, and
///         passes on the results that are complete.
/// Errors: a request that the pool or a worker fails is the result of its
///         files, like a file that cannot be read.
class driver : public caf::event_based_actor {
public:
  /// The references have to outlive the actor and its workers.
  driver(caf::actor_config& cfg, const pool_policy& policy, const job& job,
         walk& files, sink& out, run_state& state);

  caf::behavior make_behavior() override;

  void on_exit() override;

private:
  /// The next item of the walk; a file has no number yet.
  struct upcoming {
    file_task task;
    found::kind is;
    int error;
  };

  /// A request that at least one worker still works on.
  struct request_record {
    std::size_t workers;
    std::size_t files;
  };

  void spawn_pool();
  void pump();
  bool has_room() const;
  bool may_end() const;
  bool look_ahead();
  batch next_batch();
  bool may_join(const batch& batch, std::uint64_t bytes) const;
  void admit(upcoming item, batch& into);
  void submit(batch batch);
  void worker_finished(std::uint64_t id);
  void forget(std::uint64_t id);
  void settle(const outcome& outcome);
  void settle(std::uint64_t number, std::string error);
  void answered();
  void emit();
  void emit(const result& result);
  void end();
  void drain();

  const pool_policy& policy_;
  std::size_t workers_;
  std::size_t copies_;
  std::vector<std::string> paths_;
  bool chaos_;
  walk& files_;
  sink& out_;
  run_state& state_;
  caf::actor pool_;
  caf::actor killer_;
  bool is_managed_ = false;
  std::optional<upcoming> ahead_;
  bool walk_ended_ = false;
  bool ended_ = false;
  std::size_t answers_awaited_ = 0;
  std::uint64_t next_id_ = 0;
  std::size_t files_in_flight_ = 0;
  std::unordered_map<std::uint64_t, request_record> in_flight_;
  reorder_window<result> window_;
};

} // namespace hash_tree

#pragma once

#include "account.hpp"
#include "hash_tree/reorder_window.hpp"
#include "hash_tree/walk.hpp"

#include <caf/all.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace farm {

/// Parameters of a submitter, besides the files.
struct submission {
  caf::actor pool;
  /// Maximum bytes of contents in flight; a single file may be larger.
  std::uint64_t capacity = 0;
  /// Maximum size of a file for the pool. A larger file is hashed here, as is
  /// a file that is too large for the servers.
  std::uint64_t largest = 0;
  /// Function that is called with each result, in the order of the walk.
  std::function<void(const result&)> settled;
  /// Whether a task has an id before the content, see `id_of`.
  bool with_ids = false;
};

/// Client of the pool. It reads the files of a walk while the pool has room,
/// lets the pool hash them, and puts the results into the order of the walk.
/// When `stop` is set, it ends with the next message of any kind; a tick is
/// enough.
///
/// It waits for disks, and so needs a thread of its own (`caf::detached`).
///
/// Load: the contents that are not settled are within the capacity, and at most
///       8192 files are ahead of the oldest file in flight.
class submitter : public caf::event_based_actor {
public:
  /// `files` and `stop` must outlive the actor.
  submitter(caf::actor_config& cfg, submission submission,
            hash_tree::walk& files, const std::atomic<bool>& stop);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  void pump();
  bool look_ahead();
  bool has_room();
  void admit(const hash_tree::found& item);
  void submit(std::uint64_t number, const std::string& path);
  void hash_here(std::uint64_t number, const std::string& path);
  void settle(std::uint64_t number, result with);
  void fail(std::uint64_t number, const std::string& why);
  void emit();

  submission to_;
  hash_tree::walk& files_;
  const std::atomic<bool>& stop_;
  caf::actor local_;
  /// Next item of the walk, and its size.
  std::optional<hash_tree::found> ahead_;
  std::uint64_t size_ahead_ = 0;
  bool walk_ended_ = false;
  /// Bytes of contents that the pool has not settled.
  std::uint64_t under_way_ = 0;
  hash_tree::reorder_window<result> window_;
};

} // namespace farm

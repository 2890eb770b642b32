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

/// What goes to a submitter besides the files.
struct submission {
  caf::actor pool;
  /// So many bytes of contents are under way at once, or one file.
  std::uint64_t capacity = 0;
  /// A bigger file is hashed here.
  std::uint64_t largest = 0;
  /// Called with each result, in the order of the walk.
  std::function<void(const result&)> settled;
};

/// The client of the pool: reads the files of a walk as there is room for, has
/// the pool hash them, and puts the results into the order of the walk. With
/// `stop` set it ends when it hears of anything; a tick will do.
///
/// It waits for disks, and so wants a thread of its own (`caf::detached`).
///
/// Load: the contents that the pool has not settled are within the capacity,
///       and at most 8192 files are ahead of the oldest one under way.
class submitter : public caf::event_based_actor {
public:
  /// `files` and `stop` have to outlive the actor.
  submitter(caf::actor_config& cfg, submission to, hash_tree::walk& files,
            const std::atomic<bool>& stop);

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
  /// The next item, and its size.
  std::optional<hash_tree::found> ahead_;
  std::uint64_t size_ahead_ = 0;
  bool walk_ended_ = false;
  /// The bytes of contents that the pool has not settled.
  std::uint64_t under_way_ = 0;
  hash_tree::reorder_window<result> window_;
};

} // namespace farm

#pragma once

#include "libpool/actors/managed_options.hpp"
#include "libpool/observability/timeline/timeline.hpp"

#include <caf/actor_system.hpp>
#include <caf/message_id.hpp>

#include <cstdint>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hash_tree {

/// Puts files in groups by the folder that they are in, just below a path that
/// the user named.
class folders {
public:
  explicit folders(const std::vector<std::string>& paths);

  /// The folder of a file: for `d/a/b/c` with the path `d` it is `d/a`, for
  /// `d/a` it is `d`. A file that was named itself belongs to the folder that
  /// it is in.
  std::string of(const std::string& file) const;

private:
  std::unordered_set<std::string> paths_;
};

/// Keeps what a managed pool did with each request, for a timeline.
///
/// Load:    lanes are the workers, numbered from 1 in the order in which the
///          first task of each was settled; one that took another's place is a
///          new one. Flows are the folders.
/// Cost:    about 200 bytes for each request.
/// Threads: any may call anything.
class recording {
public:
  recording(caf::actor_system& system, const std::vector<std::string>& paths);

  /// A file of a request to the pool, whose files are all in one folder.
  void requested(caf::message_id id, const std::string& file);

  /// May come before the pool's client can name a file of the task.
  void settled(const libpool::settled_task& settled);

  /// The timeline of all tasks so far.
  libpool::timeline to_timeline() const;

private:
  struct settled_request {
    std::uint64_t id;
    libpool::timeline::span span;
    std::string outcome;
  };

  std::optional<libpool::worker_number> number_of(const caf::actor& worker);
  std::string folder_of(const settled_request& settled) const;
  std::vector<settled_request> one_at_a_time() const;

  caf::actor_system& system_;
  const folders folders_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::string> folder_of_request_;
  std::unordered_map<caf::actor_id, libpool::worker_number> workers_;
  std::vector<settled_request> settled_;
};

/// A file that a timeline is written to in the end. It is created at once, so
/// that a name that is none is known before the work begins.
///
/// Errors: std::system_error with the errno.
class timeline_file {
public:
  using writer = void (*)(std::ostream&, const libpool::timeline&);

  timeline_file(const std::string& path, writer writer);

  void write(const libpool::timeline& timeline);

private:
  std::ofstream file_;
  writer how_;
};

} // namespace hash_tree

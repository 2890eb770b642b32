#pragma once

#include "libpool/core/errc.hpp"
#include "libpool/core/flow.hpp"
#include "libpool/core/instant.hpp"
#include "libpool/core/outcome.hpp"
#include "libpool/core/recording.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace libpool {

struct task;

/// Keeps the last runs of a pool, for pictures and traces of a running pool.
///
/// Cost:    O(1) per run; memory for the kept runs, at most
///          `recorder_limits::runs`.
/// Threads: one at a time.
class LIBPOOL_EXPORT recorder {
public:
  /// Makes a recorder with the limits `within`. `begun`: time at which
  /// recording begins.
  explicit recorder(const recorder_limits& within, instant begun = {})
    : limits_(within),
      complete_since_(begun),
      flows_(within.flows),
      kinds_(within.flows) {
    // nop
  }

  /// Records that the handler of the task has ended on the worker `number` at
  /// the time `ended`. `outcome`: outcome of the run. `why`: reason for the
  /// outcome; errc{}: none.
  void ran(const task& task, worker_number number, instant ended,
           outcome outcome, errc why);

  /// Records that the task got the outcome `outcome`, for the reason `why`,
  /// while its handler did not run.
  void dropped(const task& task, instant now, outcome outcome, errc why);

  /// Returns a number, for `task::recorded_client`, of the client with the id
  /// `id`, which stands for the flow of its tasks if the pool has no flows.
  /// `name_of`: returns the name of the client; called for a new client only.
  template <class NameOf>
  std::uint32_t client_number(std::uint64_t id, NameOf name_of) {
    return flows_.number_of(id, name_of);
  }

  /// Returns the kept runs that ended at the time `since` or later. `now`:
  /// current time, which limits the age of the runs.
  recording since(instant since, instant now) const;

  /// Adds a task that is not settled, or whose handler still runs, to
  /// `to.open`. `client`: number of the client; 0: the flow of the task.
  /// `started`: start of the handler; `never` if the handler has not begun.
  /// `kind`: name of the kind of the task; nullptr: unknown. Returns false, and
  /// adds nothing, if `to.open` has `recorder_limits::runs` tasks.
  bool add_open(const task& task, std::uint32_t client, instant started,
                const std::string* kind, recording& recording);

private:
  /// Names, numbered from 0 in the order of insertion; 0: the empty name. Names
  /// beyond a maximum number share the name "(others)".
  class names {
  public:
    explicit names(std::size_t most) : most_(most), all_(1) {
      // nop
    }

    /// Returns the number of the name with the hash `hash`, which `name_of`
    /// returns.
    template <class NameOf>
    std::uint32_t number_of(std::uint64_t hash, NameOf name_of) {
      if (hash != last_hash_ || last_ == 0) {
        auto known = numbers_.find(hash);
        last_ = known != numbers_.end() ? known->second
                : all_.size() > most_   ? last_number()
                                        : add(hash, name_of());
        last_hash_ = hash;
      }
      return last_;
    }

    /// Adds to `targets` the names that were inserted after the names in
    /// `targets`.
    void add_new(std::vector<std::string>& targets) const;

    const std::vector<std::string>& all() const noexcept {
      return all_;
    }

  private:
    std::uint32_t add(std::uint64_t hash, std::string name);

    std::uint32_t last_number() const noexcept {
      return static_cast<std::uint32_t>(all_.size() - 1);
    }

    std::size_t most_;
    std::vector<std::string> all_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // by hash
    std::uint64_t last_hash_ = 0;
    std::uint32_t last_ = 0;
  };

  recorded_run& next();
  void add_names(recording& recording) const;
  void describe(recorded_run& run, const task& task);
  std::uint32_t number_of(const flow_key& flow);
  std::uint32_t number_of(const std::string* kind);

  const recorder_limits limits_;
  /// Time after which no ended run is missing: the time at which recording
  /// began, or the latest end of a run that a newer run has replaced.
  instant complete_since_;
  std::vector<recorded_run> runs_; // ring buffer once it is full
  std::uint64_t noted_ = 0;        // number of runs recorded so far
  names flows_;
  names kinds_;
};

} // namespace libpool

#pragma once

#include "times.hpp"

#include "libpool/core/autoscaler.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace poolsim {

/// How the number of workers follows the load.
struct sizing_settings : libpool::autoscale {
  /// Time after which an idle worker ends, by the rule of poolifier; unset: the
  /// rule is that of libpool.
  std::optional<duration> idle;
  /// Whether, by the rule of poolifier, no worker is made while another one
  /// starts.
  bool one_by_one = true;
  /// Time that a new worker needs until it can begin tasks.
  duration startup{0};
};

/// Chooses the number of workers of a simulated pool: as libpool does, or as
/// the dynamic pools of poolifier, a library for Node.js.
///
/// By the rule of poolifier, a task that arrives while all workers are busy has
/// one more worker made, at most `most`; in version 5, unless a worker is
/// starting. A worker that was idle for a time ends, unless it is one of the
/// first `least`. The first worker that is idle gets the next task there, so
/// that the last ones are idle when there is little to do. Here, the n-th
/// worker counts as idle while fewer than n are busy, whichever they are.
///
/// Source: docs/api.md, src/pools of github.com/poolifier/poolifier (3.x
/// to 5.x). Cost:   that of `libpool::autoscaler`, or O(busy workers).
class sizing {
public:
  explicit sizing(const sizing_settings& rule) : rule_(rule), scaler_(rule) {
    // nop
  }

  /// Records that a worker has started, as a pool does when it knows the time.
  void started() noexcept {
    scaler_.starts_in(rule_.startup);
  }

  /// Records that `busy` workers were busy until the time `until`.
  void were_busy(std::size_t busy, libpool::instant until);

  /// Returns the number of workers that the pool wants at the time `now`, and
  /// before that wanted `wanted`.
  std::size_t decide(const libpool::pool_load& load, std::size_t wanted,
                     libpool::instant now);

  /// Returns the time at which `decide` must be called again.
  libpool::instant next(const libpool::pool_load& load,
                        std::size_t wanted) const noexcept;

private:
  const sizing_settings rule_;
  libpool::autoscaler scaler_;
  std::uint64_t arrived_ = 0;
  /// Time until which at least n + 1 workers were busy, or the start of worker
  /// n.
  std::vector<libpool::instant> used_;
};

} // namespace poolsim

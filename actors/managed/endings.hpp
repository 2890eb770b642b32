#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/watch.hpp"
#include "libpool/actors/managed/user_answer.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/core/worker_number.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace libpool {

/// Whether a managed pool accepts messages, and whether it must end.
///
/// A pool that drains ends with the last task that it has accepted. A pool
/// without workers ends or waits, as `when_empty` says.
class endings {
public:
  explicit endings(when_empty empty) noexcept : when_empty_(empty) {
    // nop
  }

  /// Replaces what happens without workers.
  void change(when_empty empty) noexcept {
    when_empty_ = empty;
  }

  bool drains() const noexcept {
    return drains_;
  }

  bool has_ended() const noexcept {
    return has_ended_;
  }

  /// Whether the pool accepts messages.
  bool accepts() const noexcept {
    return !drains_ && !has_ended_;
  }

  /// Whether a message is refused if the pool has no workers and expects none.
  bool refuses_if_alone() const noexcept {
    return when_empty_ != when_empty::wait;
  }

  /// Returns the room of the pool. `is_alone`: no worker serves or is expected.
  room room_with(std::size_t seats, bool is_alone) const noexcept {
    if (!accepts())
      return {0, has_ended_};
    auto waits = when_empty_ == when_empty::wait || !is_alone;
    return {seats, seats == 0 && waits};
  }

  // -- reasons to end ---------------------------------------------------------

  /// Whether the pool ends because its last worker has ended.
  bool is_out_of_workers(bool is_alone, bool is_bereft) const noexcept {
    return is_alone && is_bereft && when_empty_ == when_empty::end;
  }

  /// Whether waiting tasks are cancelled because no worker will come.
  bool gives_up(bool is_alone) const noexcept {
    return is_alone && (drains_ || when_empty_ != when_empty::wait);
  }

  /// Whether waiting tasks have no worker to wait for, unless a user adds one.
  bool waits_in_vain(bool is_alone) const noexcept {
    return accepts() && is_alone && when_empty_ == when_empty::wait;
  }

  // -- idle pools -------------------------------------------------------------

  /// Adds an answer that is due when all accepted tasks are settled.
  void await_idle(user_answer answer) {
    idle_answers_.push_back(std::move(answer));
  }

  /// Whether answers are due when all accepted tasks are settled.
  bool is_awaited_idle() const noexcept {
    return !idle_answers_.empty();
  }

  /// Gives all answers that are due when the pool is idle.
  void answer_idle(errc why, execution_context* host) {
    for (auto& answer : std::exchange(idle_answers_, {}))
      answer(why, host);
  }

  // -- ending -----------------------------------------------------------------

  /// Stops the acceptance of messages. `answer` is due when the pool ends;
  /// nullptr: none.
  void drain(user_answer answer);

  /// Gives all answers that are due when the pool ends.
  void answer_drained(errc why, execution_context* host) {
    for (auto& answer : std::exchange(drain_answers_, {}))
      answer(why, host);
  }

  /// Marks the pool as ended. Returns false if it had ended before.
  bool end() noexcept {
    return !has_ended_.exchange(true);
  }

  // -- the end of the actor system --------------------------------------------

  /// Number under which the actor system is watched.
  static constexpr auto system_number =
    worker_number{static_cast<std::uint64_t>(-1)};

  /// Makes `pool` be told when the actor system ends.
  void watch(caf::actor_system& system, watcher& pool);

  void unwatch_system(watcher& pool);

  /// Whether the actor system ends, as reported. A system that waits for its
  /// actors does not end before the pool: then a program that CAF's middleman
  /// has let in, or the user, has ended the actor that the pool watches.
  bool is_end_of(caf::actor_system& system);

  /// Whether the end of the actor system will not be reported any more.
  bool is_blind() const noexcept {
    return is_blind_;
  }

private:
  when_empty when_empty_;
  bool drains_ = false;
  std::atomic<bool> has_ended_{false}; // other threads look
  bool is_blind_ = false;
  std::vector<user_answer> drain_answers_;
  std::vector<user_answer> idle_answers_;
  caf::actor_addr system_; // an actor that ends with it
};

} // namespace libpool

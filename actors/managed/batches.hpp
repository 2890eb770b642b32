#pragma once

#include "libpool/actors/batching.hpp"
#include "libpool/actors/managed/managed_task.hpp"
#include "libpool/actors/managed_options.hpp"
#include "libpool/core/errc.hpp"

#include <caf/message.hpp>

namespace libpool {

/// Batches of a managed pool, see `joint_run`: the leader of a run goes to a
/// worker with a message that has the contents of all its tasks. The message is
/// composed each time that the leader is sent, and taken apart when the worker
/// is done with it. The messages of the tasks are kept until they are settled.
///
/// Cost:    one copy of each content for each time that it is sent.
/// Threads: the pool's.
class batches {
public:
  explicit batches(const managed_options& options) noexcept
    : type_(options.batch ? options.batch->type.get() : nullptr) {
    // nop
  }

  /// Whether the message of the task goes to workers in a batch, which may have
  /// no other message.
  bool has(const managed_task& task) const noexcept {
    return type_ != nullptr && task.notes().run_key.has_value();
  }

  /// Replaces the message of the leader with that of its batch. Returns why the
  /// batch cannot be sent; errc{} if it can.
  /// @pre no task of the batch has an element of an outer pool that is unopened
  errc compose(managed_task& leader) const;

  /// Whether the content of the task, which is in a batch, can be copied.
  bool can_copy(managed_task& task) const;

  /// Takes the message of the leader out of that of its batch, which has come
  /// back or was handled. Does nothing if the task has its own message.
  static void take_apart(managed_task& leader);

  /// Divides the answer to the batch of the leader among its tasks. Each of
  /// them gets an error if that is not possible, or if the answer is an error.
  void divide(managed_task& leader) const;

  /// Returns the answer to the task in the answer to the run of the leader.
  static worker_answer result_of(const managed_task& leader,
                                 const managed_task& task) {
    const auto& run = leader.extras();
    auto result = run.answer;
    if (!run.parts.empty())
      result.content = run.parts[task.extras().place];
    return result;
  }

private:
  const batch_type* type_; // nullptr: the pool has no batches
};

} // namespace libpool

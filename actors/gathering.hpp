#pragma once

#include "libpool/actors/typed_functions.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/gather/gather_options.hpp"
#include "libpool/policies/gather/hedged.hpp"

#include <caf/message.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace libpool {

/// Function object that joins several results into one answer, one result after
/// the other.
class LIBPOOL_EXPORT joiner {
public:
  joiner() = default;
  joiner& operator=(const joiner&) = delete;
  virtual ~joiner() = default;

  /// Returns a copy of this joiner in its initial state.
  virtual std::unique_ptr<joiner> clone() const = 0;

  /// Adds `result`, the answer of one worker, to the joined answer. `result` is
  /// empty if the worker gave an empty answer.
  virtual void join(caf::message& result) = 0;

  /// Returns the joined answer. Called once, after the last result was added.
  virtual caf::message joined() = 0;

protected:
  /// Copy constructor, for implementations of `clone`.
  joiner(const joiner&) = default;
};

/// Returns a joiner whose answer is the first result.
LIBPOOL_EXPORT std::unique_ptr<joiner> make_first_joiner();

namespace detail {

/// Joiner with a function of the user. The answer begins as a value of the
/// user, and the function adds each result to the answer.
template <class T, class Join>
class LIBPOOL_EXPORT functor_joiner final : public joiner {
public:
  functor_joiner(Join f, T init)
    : join_(std::move(f)), value_(std::move(init)) {
    // nop
  }

  std::unique_ptr<joiner> clone() const override {
    return std::make_unique<functor_joiner>(*this);
  }

  void join(caf::message& result) override {
    if (!result.empty())
      join_with(join_, value_, result);
  }

  caf::message joined() override {
    return as_message(std::move(value_));
  }

private:
  Join join_;
  T value_;
};

/// Default split function: the task of each worker is the whole message.
struct split_to_all {
  void operator()(worker_tasks& tasks, const caf::message& message) const {
    for (auto& task : tasks)
      task.second = message;
  }
};

/// Returns a joiner whose answer begins as a copy of `init`. The function
/// `join` adds each result to the answer.
template <class T, class Join>
std::unique_ptr<joiner> make_joiner(Join join, T init) {
  if constexpr (check_join<T, Join>())
    return std::make_unique<functor_joiner<T, Join>>(std::move(join),
                                                     std::move(init));
  else
    return nullptr;
}

} // namespace detail

/// Description of a gather: how a managed pool makes several tasks of each
/// message, and joins the results into one answer.
struct gathering {
  /// Plan that decides how many workers handle a message, and when the message
  /// is answered; cloned for each pool.
  std::shared_ptr<const gather_plan> plan;
  /// Function object that joins the results into the answer; cloned for each
  /// message.
  std::shared_ptr<const joiner> join;
  /// Whether results are joined in the order of the tasks. If false, results
  /// are joined in the order of arrival.
  bool ordered = false;
  /// Function that splits a message into parts. Required if the plan makes one
  /// task of each part; otherwise nullptr. Calls do not overlap.
  std::function<message_parts(caf::message&)> split = nullptr;
};

} // namespace libpool

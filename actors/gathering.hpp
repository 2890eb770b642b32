#pragma once

#include "libpool/actors/typed_functions.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/gather_options.hpp"
#include "libpool/policies/hedged.hpp"

#include <caf/message.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace libpool {

/// Function object that joins several results into one answer, one result after
/// the other.
class joiner {
public:
  joiner() = default;
  joiner& operator=(const joiner&) = delete;
  virtual ~joiner() = default;

  /// Returns a copy of this joiner in its initial state.
  virtual std::unique_ptr<joiner> clone() const = 0;

  /// Adds `result` to the answer; `result` is empty if the answer of the worker
  /// is empty.
  virtual void join(caf::message& result) = 0;

  /// Returns the answer. Called once, after the last result.
  virtual caf::message joined() = 0;

protected:
  /// Copy constructor for `clone`.
  joiner(const joiner&) = default;
};

/// Returns a joiner whose answer is the first result.
std::unique_ptr<joiner> make_first_joiner();

namespace detail {

/// Joiner that folds results into a value.
template <class T, class Join>
class functor_joiner final : public joiner {
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

/// Split that gives the whole message to every worker.
struct split_to_all {
  void operator()(worker_tasks& tasks, const caf::message& message) const {
    for (auto& task : tasks)
      task.second = message;
  }
};

/// Returns a joiner that folds results into a copy of `init`.
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
  /// Plan of the gather; cloned for each pool.
  std::shared_ptr<const gather_plan> plan;
  /// Joiner of the results; cloned for each message.
  std::shared_ptr<const joiner> join;
  /// Whether results are joined in the order of the tasks instead of the order
  /// of arrival.
  bool ordered = false;
  /// Function that splits a message into parts; required if the plan works on
  /// parts, otherwise nullptr. Calls do not overlap.
  std::function<message_parts(caf::message&)> split = nullptr;
};

} // namespace libpool

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

/// Makes one answer of several, one at a time.
class joiner {
public:
  joiner() = default;
  joiner& operator=(const joiner&) = delete;
  virtual ~joiner() = default;

  /// Another one, as this one was in the beginning.
  virtual std::unique_ptr<joiner> clone() const = 0;

  /// A result has come; empty if it was answered with nothing.
  virtual void join(caf::message& result) = 0;

  /// The answer. Called once, at the end.
  virtual caf::message joined() = 0;

protected:
  joiner(const joiner&) = default;
};

/// The first result.
std::unique_ptr<joiner> make_first_joiner();

namespace detail {

/// Folds results into a value.
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

/// Gives every worker the whole message.
struct split_to_all {
  void operator()(worker_tasks& tasks, const caf::message& message) const {
    for (auto& task : tasks)
      task.second = message;
  }
};

/// A joiner that folds results into a copy of `init`.
template <class T, class Join>
std::unique_ptr<joiner> make_joiner(Join join, T init) {
  if constexpr (check_join<T, Join>())
    return std::make_unique<functor_joiner<T, Join>>(std::move(join),
                                                     std::move(init));
  else
    return nullptr;
}

} // namespace detail

/// How a managed pool handles each message by several tasks, and makes one
/// answer of theirs.
struct gathering {
  /// Cloned for each pool.
  std::shared_ptr<const gather_plan> plan;
  /// Cloned for each message.
  std::shared_ptr<const joiner> join;
  /// Whether results are joined in the order of the tasks, rather than as they
  /// come.
  bool ordered = false;
  /// Where the plan asks for parts. Called one at a time.
  std::function<message_parts(caf::message&)> split = nullptr;
};

} // namespace libpool

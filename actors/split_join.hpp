#pragma once

#include "libpool/actors/direct_policy.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// What each worker is to do; an empty message means nothing.
using worker_tasks = std::vector<std::pair<caf::actor, caf::message>>;

/// How a split task ends when not all goes well.
struct split_join_options {
  /// How long the workers may take to answer, more than 0; by default for ever.
  std::optional<std::chrono::nanoseconds> timeout = std::nullopt;

  /// Answer with what has been joined, leaving out workers that failed, died or
  /// took too long, rather than with an error at the first of them.
  bool join_what_came = false;
};

/// What is done with one message: split into tasks, then the results joined.
/// Its functions are called one at a time.
class split_task {
public:
  virtual ~split_task() = default;
  virtual std::unique_ptr<split_task> clone() const = 0;
  virtual void split(worker_tasks& tasks, caf::message& what) = 0;
  virtual void join(caf::message& result) = 0;
  virtual caf::message joined() = 0;
};

/// Dispatches each message as tasks of its own for all workers, and answers it
/// with one result. `task` is cloned for each message.
///
/// Errors: std::invalid_argument for options out of bounds.
std::unique_ptr<direct_policy> make_split_join(std::unique_ptr<split_task> task,
                                               split_join_options options);

namespace detail {

/// Gives every worker the whole message.
struct split_to_all {
  void operator()(worker_tasks& tasks, const caf::message& what) const {
    for (auto& task : tasks)
      task.second = what;
  }
};

template <class T, class Join, class Split>
class functor_split_task final : public split_task {
public:
  functor_split_task(Join jf, Split sf, T init)
    : join_(std::move(jf)), split_(std::move(sf)), value_(std::move(init)) {
    // nop
  }

  std::unique_ptr<split_task> clone() const override {
    return std::make_unique<functor_split_task>(*this);
  }

  void split(worker_tasks& tasks, caf::message& what) override {
    split_(tasks, what);
  }

  void join(caf::message& result) override {
    join_(value_, result);
  }

  caf::message joined() override {
    return caf::make_message(std::move(value_));
  }

private:
  Join join_;
  Split split_;
  T value_;
};

} // namespace detail

} // namespace libpool

#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <memory>

namespace test {

/// Counts two tries at most: the first success is enough. After the last one,
/// the step is `at_end`.
class votes_on_tries final : public libpool::gather_votes {
public:
  explicit votes_on_tries(libpool::verdict at_end) : at_end_(at_end) {
    // nop
  }

  void began(std::size_t tasks, libpool::instant) noexcept override {
    open_ = tasks;
    left_ = 2;
    has_succeeded_ = false;
  }

  void asked_another(libpool::instant) noexcept override {
    ++open_;
    --left_;
  }

  void found_nobody(libpool::instant) noexcept override {
    left_ = 0;
  }

  void succeeded(std::size_t, libpool::instant) noexcept override {
    --open_;
    has_succeeded_ = true;
  }

  void failed(std::size_t, libpool::instant) noexcept override {
    --open_;
  }

  libpool::verdict decide() const noexcept override {
    using libpool::verdict;
    if (has_succeeded_)
      return verdict::answer();
    if (open_ > 0)
      return verdict::wait();
    return left_ > 0 ? verdict::ask(1) : at_end_;
  }

private:
  const libpool::verdict at_end_;
  std::size_t open_ = 0;
  std::size_t left_ = 0;
  bool has_succeeded_ = false;
};

/// Asks one worker, and another one when that fails: three at most.
class asking_again final : public libpool::gather_plan {
public:
  explicit asking_again(libpool::verdict at_end = libpool::verdict::too_few(1))
    : at_end_(at_end) {
    // nop
  }

  std::unique_ptr<gather_plan> clone() const override {
    return std::make_unique<asking_again>(*this);
  }

  std::unique_ptr<libpool::gather_votes> make_votes() const override {
    return std::make_unique<votes_on_tries>(at_end_);
  }

  libpool::scatter asks() const noexcept override {
    libpool::scatter result;
    result.asks_more = true;
    return result;
  }

private:
  libpool::verdict at_end_;
};

} // namespace test

#pragma once

#include "libpool/core/gather_plan.hpp"

#include <cstddef>
#include <memory>

/// Counts the answers to one message of `median_of_five`.
class median_votes final : public libpool::gather_votes {
public:
  /// Number of answers that suffice: one wrong answer among them is not the
  /// median.
  static constexpr std::size_t enough = 3;

  explicit median_votes(libpool::duration patience) noexcept
    : patience_(patience) {
    // nop
  }

  void began(std::size_t tasks, libpool::instant now) noexcept override {
    open_ = tasks;
    successes_ = 0;
    patience_ends_ = libpool::later(now, patience_);
    is_impatient_ = false;
  }

  void asked_another(libpool::instant) noexcept override {
    ++open_;
  }

  void succeeded(std::size_t, libpool::instant) noexcept override {
    --open_;
    ++successes_;
  }

  void failed(std::size_t, libpool::instant) noexcept override {
    --open_;
  }

  void time_passed(libpool::instant now) noexcept override {
    is_impatient_ = now >= patience_ends_;
  }

  libpool::verdict decide() const noexcept override {
    using libpool::verdict;
    if (successes_ + open_ < enough)
      return verdict::too_few(enough);
    auto is_over = open_ == 0 || is_impatient_;
    return is_over && successes_ >= enough ? verdict::answer()
                                           : verdict::wait();
  }

  libpool::instant next_tick() const noexcept override {
    return is_impatient_ ? libpool::never : patience_ends_;
  }

private:
  const libpool::duration patience_;
  std::size_t open_ = 0;
  std::size_t successes_ = 0;
  libpool::instant patience_ends_ = libpool::never;
  bool is_impatient_ = false;
};

/// Gather plan that asks five workers. The message is answered when all of them
/// have answered or, after the time `patience`, when three have. It fails as
/// soon as fewer than three can answer.
class median_of_five final : public libpool::gather_plan {
public:
  explicit median_of_five(libpool::duration patience) : patience_(patience) {
    // nop
  }

  std::unique_ptr<gather_plan> clone() const override {
    return std::make_unique<median_of_five>(*this);
  }

  std::unique_ptr<libpool::gather_votes> make_votes() const override {
    return std::make_unique<median_votes>(patience_);
  }

  libpool::scatter asks() const noexcept override {
    libpool::scatter result;
    result.asked = 5;
    result.needed = median_votes::enough;
    return result;
  }

  bool is_timed() const noexcept override {
    return true;
  }

private:
  const libpool::duration patience_;
};

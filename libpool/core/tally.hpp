#pragma once

#include <cstddef>

namespace libpool {

/// Counts the answers to one thing that was asked of several, and says when it
/// is decided.
///
/// | wanted                           | `needed`                       |
/// | -------------------------------- | ------------------------------ |
/// | an answer of each                | as many as are asked           |
/// | the first success                | 1                              |
/// | a quorum, k of n                 | k                              |
/// | what comes, when all have ended  | as many as are asked, `lenient` |
class tally {
public:
  enum class verdict { open, success, failure };

  tally() = default;

  /// `asked` are asked, all at once; the success of `needed` is enough. If it
  /// is `lenient`, failures are as good, but do not count before the end.
  tally(std::size_t asked, std::size_t needed, bool lenient) noexcept
    : asked_(asked), needed_(needed), lenient_(lenient) {
    // nop
  }

  /// One more is asked, of whom no more is needed.
  void asked_another() noexcept {
    ++asked_;
  }

  void succeeded() noexcept {
    ++successes_;
  }

  void failed() noexcept {
    ++failures_;
  }

  /// How it stands: a success as soon as there is enough, a failure as soon as
  /// there cannot be any more.
  verdict now() const noexcept {
    if (lenient_)
      return outstanding() == 0 ? verdict::success : verdict::open;
    if (successes_ >= needed_)
      return verdict::success;
    return successes_ + outstanding() < needed_ ? verdict::failure
                                                : verdict::open;
  }

  std::size_t asked() const noexcept {
    return asked_;
  }

  std::size_t needed() const noexcept {
    return needed_;
  }

  std::size_t successes() const noexcept {
    return successes_;
  }

  /// Those that have neither succeeded nor failed.
  std::size_t outstanding() const noexcept {
    return asked_ - successes_ - failures_;
  }

private:
  std::size_t asked_ = 0;
  std::size_t needed_ = 0;
  std::size_t successes_ = 0;
  std::size_t failures_ = 0;
  bool lenient_ = false;
};

} // namespace libpool

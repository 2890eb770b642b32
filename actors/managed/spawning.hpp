#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/core/replacements.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace libpool {

/// Factory of a managed pool, and the crashed workers that it must replace. A
/// factory that fails counts as another crash, and is called again as
/// `restart_limits` allow.
///
/// A pool without a factory replaces no workers.
class spawning {
public:
  using factory = std::function<caf::actor()>;

  explicit spawning(const restart_limits& within) : missing_(within) {
    // nop
  }

  void begin(factory make) {
    make_ = std::move(make);
  }

  /// Removes the factory. No more workers are made.
  void end() noexcept;

  bool has_factory() const noexcept {
    return make_ != nullptr;
  }

  /// Whether a worker that ended with that reason has crashed.
  static bool is_crash(const caf::error& reason);

  // -- making workers ---------------------------------------------------------

  /// Makes a worker.
  ///
  /// Errors: those of the factory.
  /// @pre has_factory()
  caf::actor make() const {
    return make_();
  }

  /// Makes a worker.
  ///
  /// Errors: those of the factory, with a text that names the factory.
  /// @pre has_factory()
  caf::actor make_named() const;

  /// Notes why a worker could not be made that is not asked for again.
  void could_not(std::string problem) {
    problem_ = std::move(problem);
  }

  /// Notes that the last worker that was made has joined.
  void succeeded() noexcept {
    problem_.clear();
  }

  /// Notes that a worker could not be made, or could not join.
  void failed(std::string problem, instant now);

  /// Why the last attempt to make a worker failed; empty if it succeeded.
  const std::string& problem() const noexcept {
    return problem_;
  }

  // -- replacing workers ------------------------------------------------------

  /// Notes that a serving worker ended. If it crashed, it is replaced, if the
  /// limits allow it.
  void ended(const caf::error& reason, instant now);

  /// Number of workers that must be replaced.
  std::size_t missing() const noexcept {
    return missing_.size();
  }

  /// Removes one of the workers that must be replaced.
  /// @pre missing() > 0
  void drop_one() {
    missing_.drop_one();
  }

  /// Removes the workers that are to be replaced by now, and returns their
  /// number.
  std::size_t take_due(instant now) {
    return missing_.take_due(now);
  }

  /// Counts a worker that was replaced.
  void replaced_one() noexcept {
    ++replaced_;
  }

  std::uint64_t replaced() const noexcept {
    return replaced_;
  }

  /// Whether more workers are due again at `now`, after all due ones have been
  /// tried. Returns true once; then the caller must let other actors run and
  /// call `may_try_again`. Until then `next_try` is `never`.
  bool has_to_pause(instant now) noexcept {
    return missing_.next() <= now && !std::exchange(pauses_, true);
  }

  void may_try_again() noexcept {
    pauses_ = false;
  }

  /// Time at which the next worker is replaced; `never` if none is, or while
  /// the pool pauses.
  instant next_try() const noexcept {
    return pauses_ ? never : missing_.next();
  }

private:
  void crashed(instant now);

  factory make_;
  std::string problem_;
  replacements missing_;
  std::uint64_t replaced_ = 0;
  bool pauses_ = false;
};

} // namespace libpool

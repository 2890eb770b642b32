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

/// The factory of a managed pool, and the crashed workers that it is still to
/// replace. A factory that fails counts as one more crash: it is tried again as
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

  /// From now on no worker is made.
  void end() noexcept;

  bool has_factory() const noexcept {
    return make_ != nullptr;
  }

  /// Whether a worker that has ended for that reason has crashed.
  static bool is_crash(const caf::error& reason);

  // -- making workers ---------------------------------------------------------

  /// Makes a worker.
  ///
  /// Errors: those of the factory.
  /// @pre has a factory
  caf::actor make() const {
    return make_();
  }

  /// Makes a worker.
  ///
  /// Errors: those of the factory, in words that name it.
  /// @pre has a factory
  caf::actor make_named() const;

  /// The worker that was made last has joined.
  void succeeded() noexcept {
    problem_.clear();
  }

  /// No worker was made, or it could not join.
  void failed(std::string problem, instant now);

  /// Why the last try to make a worker was in vain; empty if it was not.
  const std::string& problem() const noexcept {
    return problem_;
  }

  // -- replacing workers ------------------------------------------------------

  /// A worker that served has ended, for that reason. Unless it was shut down
  /// it has crashed, and is to be replaced if the limits allow it.
  void ended(const caf::error& reason, instant now);

  /// How many workers are still to be replaced.
  std::size_t missing() const noexcept {
    return missing_.size();
  }

  /// One worker less is needed.
  /// @pre some are missing
  void drop_one() {
    missing_.drop_one();
  }

  /// Takes out the workers that are to be replaced by now, and returns how
  /// many.
  std::size_t take_due(instant now) {
    return missing_.take_due(now);
  }

  /// A worker was replaced.
  void replaced_one() noexcept {
    ++replaced_;
  }

  std::uint64_t replaced() const noexcept {
    return replaced_;
  }

  /// After all that were due have been tried at `now`: returns whether some are
  /// due again at once, and that was not told before. The caller is to let
  /// others run, and then to call `may_try_again`. Until then there is no next
  /// try.
  bool has_to_pause(instant now) noexcept {
    return missing_.next() <= now && !std::exchange(pauses_, true);
  }

  void may_try_again() noexcept {
    pauses_ = false;
  }

  /// When the next worker is to be replaced; `never` if the time does not
  /// matter.
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

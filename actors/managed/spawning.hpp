#pragma once

#include <caf/actor.hpp>
#include <caf/error.hpp>

#include <functional>
#include <string>
#include <utility>

namespace libpool {

/// Factory of a managed pool. A pool without a factory makes no workers.
class spawning {
public:
  using factory = std::function<caf::actor()>;

  void begin(factory make) {
    make_ = std::move(make);
  }

  /// Removes the factory. No more workers are made.
  void end() noexcept {
    make_ = nullptr;
  }

  bool has_factory() const noexcept {
    return make_ != nullptr;
  }

  /// Whether a worker that ended with that reason has crashed.
  static bool is_crash(const caf::error& reason);

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

  /// Notes that the last worker that was made has joined.
  void succeeded() noexcept {
    problem_.clear();
  }

  /// Notes that a worker could not be made, or could not join.
  void failed(std::string problem) {
    problem_ = std::move(problem);
  }

  /// Why the last attempt to make a worker failed; empty if it succeeded.
  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Begins a pause: other actors run before the factory is called again for a
  /// worker that crashed. Returns false if the pause has begun before.
  bool pause() noexcept {
    return !std::exchange(pauses_, true);
  }

  /// Ends the pause.
  void go_on() noexcept {
    pauses_ = false;
  }

  bool pauses() const noexcept {
    return pauses_;
  }

private:
  factory make_;
  std::string problem_;
  bool pauses_ = false;
};

} // namespace libpool

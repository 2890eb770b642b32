#pragma once

// Included by each file of the copied tree that has a mutant. All mutants are
// compiled in; the environment selects one:
//
//     LIBPOOL_MUTANT   number of the mutant that is on; unset: none
//     LIBPOOL_MUTANTS_LOG   file to which each process appends the numbers of
//         the mutants that it reaches, and test programs append their cases

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace libpool::mutation {

/// The variables of the environment, and the mutants reached in this case.
class switchboard {
public:
  static switchboard& instance() {
    static switchboard result;
    return result;
  }

  bool is_on(int mutant) noexcept {
    if (log_ >= 0)
      reach(mutant);
    return mutant == chosen_;
  }

  /// Appends a line to the log, if there is one.
  void write(const std::string& line) noexcept {
    if (log_ >= 0 && ::write(log_, line.data(), line.size()) < 0)
      std::abort();
  }

  /// Mutants that are reached from now on are appended again.
  void begin_case() noexcept {
    for (auto& each : reached_)
      each.store(false, std::memory_order_relaxed);
  }

private:
  switchboard() {
    if (const char* text = std::getenv("LIBPOOL_MUTANT"))
      chosen_ = std::atoi(text);
    if (const char* path = std::getenv("LIBPOOL_MUTANTS_LOG"))
      log_ = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  }

  void reach(int mutant) noexcept {
    auto& reached = reached_[static_cast<std::size_t>(mutant)];
    if (!reached.load(std::memory_order_relaxed)
        && !reached.exchange(true, std::memory_order_relaxed))
      write(std::to_string(mutant) + '\n');
  }

  int chosen_ = -1;
  int log_ = -1;
  std::array<std::atomic<bool>, 4096> reached_{};
};

/// Whether the mutant is on. Constant expressions are never changed.
constexpr bool is_on(int mutant) noexcept {
  return !__builtin_is_constant_evaluated()
         && switchboard::instance().is_on(mutant);
}

} // namespace libpool::mutation

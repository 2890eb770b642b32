#pragma once

#include "support/dispatcher_world.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Writes down all facts, and takes the first worker that is offered.
class recording final : public libpool::placement {
public:
  recording(std::string& log, std::optional<libpool::measure> wanted)
    : log_(log), measures_(wanted) {
    // nop
  }

  void joined(libpool::worker& worker, libpool::instant) noexcept override {
    note("joined " + name(worker));
  }

  void left(libpool::worker& worker, libpool::instant) noexcept override {
    note("left " + name(worker));
  }

  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    note("offered " + name(worker));
    offered_.push_back(&worker);
  }

  void withdrawn(libpool::worker& worker, libpool::instant) noexcept override {
    note("withdrawn " + name(worker));
    for (auto i = offered_.begin(); i != offered_.end(); ++i)
      if (*i == &worker) {
        offered_.erase(i);
        return;
      }
  }

  void assigned(libpool::worker& worker, libpool::task& task,
                libpool::instant) noexcept override {
    note(name(task) + " assigned to " + name(worker));
  }

  void began(libpool::worker& worker, libpool::task& task,
             libpool::instant now) noexcept override {
    CHECK(task.began == now);
    CHECK(task.on == &worker);
    note(name(task) + " began at " + ms(now - libpool::instant{}));
  }

  void measured(libpool::worker& worker, libpool::task& task,
                libpool::ending how, libpool::duration cost,
                libpool::instant) noexcept override {
    CHECK(task.on == &worker);
    note(name(task)
         + (how == libpool::ending::crashed ? " crashed" : " completed")
         + " for " + ms(cost));
  }

  void unassigned(libpool::worker& worker, libpool::task& task,
                  libpool::instant) noexcept override {
    note(name(task) + " unassigned from " + name(worker));
  }

  std::optional<libpool::measure> measures() const noexcept override {
    return measures_;
  }

  libpool::worker* choose(const libpool::task&,
                          libpool::instant) noexcept override {
    return offered_.empty() ? nullptr : offered_.front();
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return some.front();
  }

private:
  void note(const std::string& fact) {
    log_ += (log_.empty() ? "" : "; ") + fact;
  }

  static std::string name(const libpool::worker& worker) {
    return std::to_string(static_cast<std::uint64_t>(worker.number));
  }

  /// Tasks are named from 0, like those of a world.
  static std::string name(const libpool::task& task) {
    return "task " + std::to_string(task.number - 1);
  }

  static std::string ms(libpool::duration time) {
    return std::to_string(time / std::chrono::milliseconds{1});
  }

  std::string& log_;
  std::optional<libpool::measure> measures_;
  std::vector<libpool::worker*> offered_;
};

struct measured_world : dispatcher_world {
  explicit measured_world(
    libpool::assignment when = libpool::assignment::lazy,
    std::optional<libpool::measure> wanted = libpool::measure::service_time,
    const libpool::limits& within = {}, bool steals = false)
    : dispatcher_world(composed(when, wanted, steals), within) {
    // nop
  }

  /// The facts for the placement since this was asked last.
  std::string told() {
    return std::exchange(log_, {});
  }

private:
  libpool::composition composed(libpool::assignment when,
                                std::optional<libpool::measure> wanted,
                                bool steals) {
    auto result = test::composed(when, steals);
    result.placement = std::make_unique<recording>(log_, wanted);
    return result;
  }

  std::string log_;
};

inline constexpr libpool::limits one_retry{static_cast<std::size_t>(-1),
                                           libpool::overflow::refuse, 1};

} // namespace test

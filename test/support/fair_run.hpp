#pragma once

#include "libpool/core/order.hpp"
#include "libpool/core/virtual_time.hpp"
#include "support/fair_models.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace test {

/// An order of fair queuing and its plain model that are told the same, by
/// somebody who has seats and a clock.
class fair_run {
public:
  explicit fair_run(const libpool::fair_queuing_options& how,
                    std::uint64_t seats, libpool::virtual_time start = {});

  // -- what may happen --------------------------------------------------------

  void submit(const std::string& flow, std::size_t width, bool urgent = false);

  /// Sends the next one if it fits; returns it then, nullptr otherwise.
  libpool::task* send_next();

  /// The i-th of those that run ends, after so long.
  void end(std::size_t i, libpool::duration ran);

  /// It ends as well, and waits again.
  void crash(std::size_t i, libpool::duration ran);

  /// It has not begun, and waits again.
  void come_back(std::size_t i);

  /// The next one is set aside; the i-th of those that are may be chosen again.
  void hold_next();
  void free(std::size_t i);

  /// The i-th of those that wait and are not set aside does so no more.
  void cancel(std::size_t i);

  void seats_change(std::uint64_t seats);

  // -- questions --------------------------------------------------------------

  /// Whether the two would send the same next, and say the same of their
  /// queues.
  bool agree() const;
  bool say_the_same() const;

  const fair_model& model() const {
    return *model_;
  }

  libpool::order& order() {
    return *order_;
  }

  std::uint64_t free_seats() const {
    return seats_ - taken_;
  }

  std::vector<libpool::task*> waiting;
  std::vector<libpool::task*> running;
  std::vector<libpool::task*> held;
  libpool::instant now{};

private:
  libpool::task* part(std::size_t i, std::optional<libpool::duration> ran);
  void wait(libpool::task& task);

  std::deque<libpool::task> tasks_; // linked into the order
  std::unique_ptr<libpool::order> order_;
  std::unique_ptr<fair_model> model_;
  std::uint64_t seats_;
  std::uint64_t taken_ = 0;
};

} // namespace test

#pragma once

#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/fair_queuing_options.hpp"
#include "support/acting_world.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace test {

/// The order of the mode, whose virtual clock starts then.
std::unique_ptr<libpool::order>
fair_order(const libpool::fair_queuing_options& how,
           libpool::virtual_time start);

/// Options of the mode, a guess of one time unit, and all else as it comes.
libpool::fair_queuing_options
guessing(libpool::duration guess,
         libpool::fair_mode mode = libpool::fair_mode::exact);

/// Fair queuing and least_used under a real dispatcher. What is submitted
/// returns its number.
class fair_world : public acting_world {
public:
  /// Of a task that ends when it is told to.
  static constexpr libpool::duration until_told = libpool::duration::max();

  explicit fair_world(const libpool::fair_queuing_options& how = {},
                      const libpool::limits& within = {},
                      libpool::virtual_time start = {});

  // -- facts ------------------------------------------------------------------

  void join(std::size_t seats = 1) {
    seat(seats);
  }

  std::size_t submit(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told) {
    return submit(add(flow, width, service));
  }

  /// One that has been added with `add`, and made what it is to be.
  std::size_t submit(libpool::task& task) {
    dispatcher_world::submit(task);
    return last();
  }

  libpool::task& add(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told);

  void come_back(std::size_t task) {
    tasks[task].recalled = true; // or its worker would be dead
    dispatcher_world::come_back(task);
  }

  /// The task runs for that long while nothing else happens.
  void serve(std::size_t task, libpool::duration time) {
    now += time;
    finish(task);
  }

  /// Tasks whose service times are known end as their time comes.
  void pass(libpool::duration time);

  // -- questions --------------------------------------------------------------

  bool runs(std::size_t task) const {
    return tasks[task].on != nullptr;
  }

  bool waits(std::size_t task) const {
    return tasks[task].is == libpool::task::condition::waiting;
  }

  /// In flight, the oldest first.
  names running() const;

  /// Why it has been refused; errc{} if it has not.
  libpool::errc refusal(std::size_t task) const {
    return fates_[task].refusal;
  }

  /// From acceptance to start.
  libpool::duration wait_of(std::size_t task) const {
    return tasks[task].started - tasks[task].accepted;
  }

  std::optional<libpool::flow_stats> row(const std::string& flow) const;

  /// How far the flow, which has to be listed, is behind the virtual clock.
  std::int64_t lag(const std::string& flow) const;

  /// Seats of the pool that tasks of the flow have.
  std::uint64_t seats_of(const std::string& flow) const;

  /// Whether the next task could begin, but has not.
  bool dawdles() const;

  libpool::order& order() const {
    return order_;
  }

  /// All tasks in the order in which they were sent.
  names sent;
  /// Told of each task whose time has come, just before it ends.
  std::function<void(std::size_t)> ends = [](std::size_t) {};

protected:
  void carry_out(const libpool::decision& made) override;
  void begin(libpool::task& task) override;

private:
  struct fate {
    libpool::duration service{0};
    libpool::errc refusal{};
  };

  /// When it ends, and when it has started: if it still is what runs then.
  using end = std::tuple<libpool::instant, std::size_t, libpool::instant>;

  fair_world(libpool::order& which, std::unique_ptr<libpool::order>&& owned,
             const libpool::limits& within);
  fair_world(std::unique_ptr<libpool::order>&& which,
             const libpool::limits& within);

  std::size_t index_of(const libpool::task& task) const;
  bool is_due(const end& when) const;

  libpool::order& order_;
  std::deque<fate> fates_;
  std::set<end> ends_;
};

} // namespace test

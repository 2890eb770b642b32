#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/virtual_time.hpp"
#include "libpool/policies/fair_queuing_options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Options of the mode, a guess of one time unit, and all else as it comes.
libpool::fair_queuing_options
guessing(libpool::duration guess,
         libpool::fair_mode mode = libpool::fair_mode::exact);

/// Fair queuing and least_used under a real dispatcher, on a virtual clock.
/// Workers and tasks are named by the order in which they came, from 0. What is
/// sent begins at once.
class fair_world {
public:
  using names = std::vector<std::size_t>;

  /// Of a task that ends when it is told to.
  static constexpr libpool::duration until_told = libpool::duration::max();

  explicit fair_world(const libpool::fair_queuing_options& how = {},
                      const libpool::limits& within = {},
                      libpool::virtual_time start = {});

  // -- facts about workers ----------------------------------------------------

  void join(std::size_t seats = 1);
  void retire(std::size_t who);

  /// Dies: what it has begun fails, what it was sent comes back.
  void leave(std::size_t who);

  // -- facts about tasks ------------------------------------------------------

  std::size_t submit(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told);

  /// One that has been added with `add`, and made what it is to be.
  std::size_t submit(libpool::task& what);
  libpool::task& add(const libpool::flow_key& flow, std::size_t width = 1,
                     libpool::duration service = until_told);
  libpool::restriction& only_on(const names& workers_of_it);

  void finish(std::size_t what);
  void crash(std::size_t what);
  void come_back(std::size_t what);
  void cancel(std::size_t what);

  /// The task runs for that long while nothing else happens.
  void serve(std::size_t what, libpool::duration time);

  // -- time -------------------------------------------------------------------

  /// Tasks whose service times are known end as their time comes.
  void pass(libpool::duration time);

  // -- questions --------------------------------------------------------------

  /// In flight, the oldest first.
  names running() const;
  bool runs(std::size_t what) const;
  bool waits(std::size_t what) const;

  /// Why it has been refused; errc{} if it has not.
  libpool::errc refusal(std::size_t what) const;

  /// From acceptance to start.
  libpool::duration wait_of(std::size_t what) const;

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

  const libpool::dispatcher& pool() const {
    return pool_;
  }

  // Goes from below: tasks stay linked into restrictions and workers, and all
  // of them into the pool.
  std::deque<libpool::task> tasks;
  std::deque<libpool::restriction> restrictions;
  std::deque<libpool::worker> workers;
  libpool::instant now{};
  /// All tasks in the order in which they were sent.
  names sent;
  /// Whether what is sent begins.
  bool begins = true;
  /// Told of each task whose time has come, just before it ends.
  std::function<void(std::size_t)> ends = [](std::size_t) {};

private:
  struct fate {
    libpool::duration service{0};
    std::optional<libpool::instant> ends;
    libpool::errc refusal{};
  };

  fair_world(std::unique_ptr<libpool::order> which,
             const libpool::limits& within);

  std::size_t index_of(const libpool::task& what) const;
  void settle();
  void act(const libpool::decision& made);
  void begin(libpool::task& what);
  void stop(std::size_t what);

  libpool::order& order_;
  libpool::dispatcher pool_;
  std::deque<fate> fates_;
  std::set<std::pair<libpool::instant, std::size_t>> ends_;
};

} // namespace test

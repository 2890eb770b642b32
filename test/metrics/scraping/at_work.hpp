#pragma once

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "libpool/pool.hpp"
#include "port/sending.hpp"
#include "support/listed_queue.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

namespace scraping {

using libpool::actor_pool;
using namespace std::chrono_literals;

namespace detail {

constexpr std::int32_t crash = -1;
constexpr std::int32_t error = 0;
constexpr std::size_t fair_workers = 3;

class worker : public caf::event_based_actor {
public:
  explicit worker(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
    set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
      return caf::error{caf::sec::runtime_error}; // without a word
    });
  }

  caf::behavior make_behavior() override {
    return {[](std::int32_t x) -> caf::result<std::int32_t> {
      if (x == crash)
        throw std::runtime_error{"crash"};
      if (x == error)
        return caf::sec::bad_function_call;
      return x;
    }};
  }
};

inline caf::behavior doubler() {
  return {[](std::int32_t x) { return 2 * x; }};
}

inline caf::actor make_fair(caf::actor_system& system) {
  libpool::managed_options options;
  options.capacity = 10;
  options.busy_until = libpool::busy_until::answer;
  options.restart = {100'000, 1h, 0ns, 0ns};
  libpool::flow_options flows;
  flows.flow_of = libpool::flow_by<std::int32_t>(
    [](std::int32_t x) { return x % 2 == 0 ? "even" : "odd"; });
  return actor_pool::make(
    system, fair_workers, [&system] { return system.spawn<worker>(); },
    actor_pool::fair_queuing(flows, options));
}

/// Sends all of that as requests, and waits until each is answered.
inline void ask(caf::actor_system& system, const caf::actor& pool,
                const std::vector<std::int32_t>& all) {
  caf::scoped_actor self{system};
  using handle =
    decltype(port::request(self, pool, test::patience, all.front()));
  std::vector<handle> asked;
  for (auto each : all)
    asked.push_back(port::request(self, pool, test::patience, each));
  for (auto& each : asked) // CAF 1 wants to have the handle
    static_cast<handle&&>(each).receive([](std::int32_t) {},
                                        [](const caf::error&) {});
}

inline std::vector<std::int32_t> numbers(std::int32_t n) {
  std::vector<std::int32_t> result;
  for (std::int32_t i = 1; i <= n; ++i)
    result.push_back(i);
  return result;
}

inline libpool::pool_metrics_options everything() {
  libpool::pool_metrics_options result;
  result.flows = 5;
  result.workers = true;
  return result;
}

inline caf::actor_system_config& set_up(caf::actor_system_config& config) {
  libpool::set_up(config);
  return config;
}

} // namespace detail

/// Pools and a pipeline of each kind that has metrics of its own, in an actor
/// system with real threads.
class pools_at_work {
public:
  pools_at_work() {
    direct_ = actor_pool::make(
      system_, 2, [this] { return system_.spawn(detail::doubler); },
      actor_pool::round_robin());
    farm_ = actor_pool::make(system_, actor_pool::distributed());
    libpool::detail::serve_queue(farm_, {}, queue_.for_front());
    libpool::join_options offer;
    offer.slots = 2;
    offer.name = "barn";
    agent_ = libpool::join_pool(
      system_, farm_, offer, [this] { return system_.spawn(detail::doubler); });
    line_ = libpool::spawn_pipeline(
      system_,
      libpool::function_stage("double", [](std::int32_t x) { return 2 * x; })
        | libpool::function_stage("add", [](std::int32_t x) { return x + 1; }));
    collector_.add(fair_, "fair", detail::everything());
    collector_.add(direct_, "direct", detail::everything());
    collector_.add(farm_, "farm");
    collector_.add_pipeline(line_, "line");
  }

  pools_at_work(const pools_at_work&) = delete;
  pools_at_work& operator=(const pools_at_work&) = delete;

  ~pools_at_work() {
    for (const auto& each : {fair_, direct_, line_, agent_, farm_})
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
  }

  /// Has all of them work, some of it in vain, until it is done.
  void work() {
    auto mixed = detail::numbers(30); // more than there is room for
    mixed.insert(mixed.begin(), {detail::error, detail::crash});
    detail::ask(system_, fair_, mixed);
    for (const auto& each : {direct_, farm_, line_})
      detail::ask(system_, each, detail::numbers(4));
  }

  /// Whether no number changes any more.
  bool are_at_rest() const {
    auto fair = actor_pool::summary(fair_);
    auto farm = actor_pool::summary(farm_);
    return fair.tasks.open() == 0 && farm.tasks.open() == 0
           && fair.workers == detail::fair_workers;
  }

  const libpool::metrics_collector& collector() const {
    return collector_;
  }

  /// Of a fair pool, with two flows, refusals, crashes and errors.
  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(fair_);
  }

private:
  test::listed_queue queue_; // without messages
  caf::actor_system_config config_;
  caf::actor_system system_{detail::set_up(config_)};
  libpool::metrics_collector collector_;
  caf::actor fair_ = detail::make_fair(system_);
  caf::actor direct_;
  caf::actor farm_;
  caf::actor agent_;
  caf::actor line_;
};

} // namespace scraping

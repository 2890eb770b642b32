/// Code that must not compile, one CASE at a time; see misuse.cmake. The words
/// of each error are in misuse.words.

#include "support/port/actors.hpp"
#include "support/port/message_types.hpp"

#include "libpool/actors/submit.hpp"
#include "libpool/pool.hpp"

#include <caf/actor_pool.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_actor.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

using libpool::actor_pool;

namespace {

using typed = caf::typed_actor<test::signature<int, int>>;
using numbers = std::vector<int>;
using typed_batches = caf::typed_actor<test::signature<numbers, numbers>>;

struct worker : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;

  worker(caf::actor_config& config, int, const std::string&)
    : caf::event_based_actor(config) {
    // nop
  }
};

[[maybe_unused]] caf::behavior behavior_of(caf::event_based_actor*, int) {
  return {};
}

[[maybe_unused]] void use(caf::actor_system& system) {
  auto queue = actor_pool::shared_queue();
  auto workers = [] { return caf::actor{}; };
  auto join = [](int& sum, const int& x) { sum += x; };
  auto parts = [](const numbers& xs) { return xs; };
#if CASE == 0
  auto typed_workers = [] { return typed{}; };
  actor_pool::make(system, 4, workers, queue);
  actor_pool::make(system, 4, typed_workers, caf::actor_pool::round_robin());
  libpool::spawn_pool(system, 4, workers);
  libpool::managed_options options;
  libpool::pool_options others;
  libpool::spawn_pool<worker>(system, 4);
  libpool::spawn_pool<worker>(system, options);
  libpool::spawn_pool<worker>(system, 4, options);
  libpool::spawn_pool<worker>(system, 4, actor_pool::random(), others);
  libpool::spawn_pool<worker>(system, options, queue, others, 1, "two");
  libpool::spawn_pool<worker>(system, 4u, 1, "two");
  libpool::spawn_pool<worker>(system, 4, caf::actor_pool::round_robin());
  libpool::spawn_pool(system, 4, options, queue, workers);
  libpool::spawn_pool(system, options, queue, typed_workers);
  libpool::spawn_pool(system, 4, queue, behavior_of, 1);
  auto pool = libpool::spawn_typed_pool<typed>(system, 4, typed_workers, queue);
  actor_pool::drain(pool);
  libpool::spawn_typed_pool<typed>(system, options,
                                   libpool::batch_of<int, int>(),
                                   [] { return typed_batches{}; });
  libpool::submit(pool, 5).get();
  libpool::submit_all<int>(libpool::pool_ref{pool}, numbers{}).get();
  options.id_of = libpool::flow_by<std::string>();
  options.deadline_of = [](const libpool::message_content&) {
    return std::chrono::milliseconds{5};
  };
  options.trace_of = nullptr;
  // The forms of CAF, and the arguments of each std::function of these.
  actor_pool::split_join<int>(
    [](int& sum, caf::message& x) { return sum += x.get_as<int>(0); });
  actor_pool::split_join<int>([](auto& sum, caf::message&) { ++sum; },
                              [](auto& tasks, auto& message) {
                                tasks.front().second = message;
                                return 1;
                              });
  actor_pool::split_join<int>(
    std::function<void(int&, caf::message&)>{},
    std::function<void(libpool::worker_tasks&, caf::message&)>{});
  actor_pool::managed_split_join<int>(
    std::function<void(int&, const caf::message&)>{},
    std::function<libpool::message_parts(caf::message&)>{});
  actor_pool::managed_split_join<long long>(
    [](long long& sum, int x) { sum += x; }, parts, 0LL, {}, queue);
  actor_pool::managed_split_join<int>(std::function<void(int&, const int&)>{},
                                      std::function<numbers(const numbers&)>{});
#elif CASE == 1
  actor_pool::make(system, 4, workers, [] {});
#elif CASE == 2
  actor_pool::make(system, [](caf::actor_system&) {});
#elif CASE == 3
  actor_pool::first_success(2, [](caf::mailbox_element_ptr&) {});
#elif CASE == 4
  actor_pool::make(
    system, 4, [] { return 1; }, queue);
#elif CASE == 5
  actor_pool::make(
    system, 4, [](int) { return caf::actor{}; }, queue);
#elif CASE == 6
  actor_pool::make(
    system, 4, [] {}, queue);
#elif CASE == 7
  libpool::spawn_pool(system, 4, [] { return 1; });
#elif CASE == 8
  libpool::spawn_pool(system, libpool::managed_options{}, [](int) {});
#elif CASE == 9
  libpool::spawn_pool<std::string>(system, 4);
#elif CASE == 10
  libpool::spawn_typed_pool<typed>(system, 4, workers);
#elif CASE == 11
  actor_pool::split_join<int>([](int sum, const int& x) { return sum + x; });
#elif CASE == 12
  actor_pool::split_join<int>([](int, const int&) {});
#elif CASE == 13
  actor_pool::split_join<int>([](std::string&, const int&) {});
#elif CASE == 14
  actor_pool::split_join<int>([](int&, int&) {});
#elif CASE == 15
  actor_pool::split_join<int>([](int&) {});
#elif CASE == 16
  actor_pool::split_join<int>(5);
#elif CASE == 17
  actor_pool::managed_split_join<int>([](int& x, int y) { return x += y; },
                                      parts, 0, {}, queue);
#elif CASE == 18
  actor_pool::broadcast_all<int>([](int& x, int y) { return x += y; });
#elif CASE == 19
  actor_pool::quorum<int>(2, 1, [](int& x, int y) { return x += y; });
#elif CASE == 20
  actor_pool::split_join<int>(join, [] { return numbers{}; });
#elif CASE == 21
  actor_pool::split_join<int>(join, [](numbers&, caf::message&) {});
#elif CASE == 22
  actor_pool::managed_split_join<int>(join, [](const numbers&) {});
#elif CASE == 23
  actor_pool::split_join<int>(
    join, [](libpool::worker_tasks&, const numbers& xs) { return xs; });
#elif CASE == 24
  actor_pool::managed_split_join<int>(
    join, [](libpool::worker_tasks&, caf::message&) {}, 0, {}, queue);
#elif CASE == 25
  actor_pool::managed([] { return 1; });
#elif CASE == 26
  libpool::flow_by<int>([](int) { return numbers{}; });
#elif CASE == 27
  libpool::width_by<int>([](const std::string&) { return 1; });
#elif CASE == 28
  actor_pool::make(system, 4, workers, libpool::managed_options{});
#elif CASE == 29
  actor_pool::split_join<int>(join, parts);
#elif CASE == 30
  libpool::spawn_pool<worker>(system, queue);
#elif CASE == 31
  libpool::spawn_pool(system, workers);
#elif CASE == 32
  libpool::spawn_pool<worker>(system, 4, "four");
#elif CASE == 33
  libpool::spawn_pool<worker>(system, 4, 1, "two", queue);
#elif CASE == 34
  libpool::spawn_pool<worker>(system, 4, queue, actor_pool::random());
#elif CASE == 35
  libpool::spawn_pool<caf::abstract_actor>(system, 4);
#elif CASE == 36
  libpool::spawn_pool(system, 4, workers, queue);
#elif CASE == 37
  libpool::spawn_pool(system, 4, behavior_of, "one");
#elif CASE == 38
  libpool::spawn_pool(system, 4, queue);
#elif CASE == 39
  libpool::spawn_pool(system, 4, 4);
#elif CASE == 40
  libpool::flow_by<int>([last = 0](const int& x) mutable { return last = x; });
#elif CASE == 41
  libpool::width_by<int>([last = 0](const int& x) mutable { return last = x; });
#elif CASE == 42
  libpool::managed_options options;
  options.id_of = [](const std::string& film) { return film; };
#elif CASE == 43
  libpool::flow_options fair;
  fair.flow_of = [](const libpool::message_content&) { return numbers{}; };
#elif CASE == 44
  libpool::managed_options options;
  options.deadline_of = [](const libpool::message_content&) { return 5; };
#elif CASE == 45
  libpool::submit(workers(), 5);
#elif CASE == 46
  libpool::submit(typed{}, "five");
#elif CASE == 47
  libpool::submit<std::string>(typed{}, 5);
#elif CASE == 48
  libpool::submit_all(typed{}, std::vector<std::string>{});
#elif CASE == 49
  libpool::spawn_typed_pool<typed>(system, libpool::managed_options{},
                                   libpool::batch_of<int, long>(),
                                   [] { return typed_batches{}; });
#elif CASE == 50
  libpool::spawn_typed_pool<typed>(system, libpool::managed_options{},
                                   libpool::batch_of<int, int>(),
                                   [] { return typed{}; });
#elif CASE == 51
  libpool::spawn_typed_pool<typed>(system, libpool::managed_options{},
                                   libpool::batch_of<int, int>(), workers);
#endif
}

} // namespace

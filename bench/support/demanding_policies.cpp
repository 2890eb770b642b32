#include "support/demanding_policies.hpp"

#include "libpool/policies/catalogue.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace bench {

namespace {

using libpool::actor_pool;
using std::chrono::seconds;

constexpr std::size_t capacity = 100'000;

template <class F>
actor_pool::policy queue_with(F change) {
  libpool::managed_options result;
  change(result);
  return actor_pool::shared_queue(result);
}

actor_pool::policy by_flow(const libpool::fair_queuing_options& how) {
  auto recipe = libpool::managed_policy_named("fair_queuing");
  recipe.order = {"fair_queuing", how};
  libpool::message_functions asked;
  asked.flow_of = [next = std::uint64_t{0}](const auto&) mutable {
    return libpool::flow_key{next++ % 64};
  };
  return actor_pool::managed(recipe, {}, asked);
}

libpool::fair_queuing_options as_in_kubernetes() {
  libpool::fair_queuing_options result;
  result.mode = libpool::fair_mode::kubernetes;
  result.queue_limit = capacity;
  return result;
}

/// A limit that is never reached.
actor_pool::policy throttled_by_flow() {
  libpool::managed_options options;
  options.throttles.of_each_flow.most_running = 100;
  return actor_pool::fair_queuing({}, options);
}

} // namespace

std::vector<std::pair<std::string, actor_pool::policy>> demanding_policies() {
  return {
    {"shared_queue, untimed",
     queue_with([](auto& each) { each.measure_times = false; })},
    {"shared_queue, capacity",
     queue_with([](auto& each) { each.capacity = capacity; })},
    {"shared_queue, deadline",
     queue_with([](auto& each) { each.deadline = seconds{20}; })},
    {"shared_queue, retry",
     queue_with([](auto& each) { each.on_crash = libpool::retry{2}; })},
    {"shared_queue, on_settled", queue_with([](auto& each) {
       each.on_settled = [](const libpool::settled_task&) {};
     })},
    {"shared_queue, slow_after",
     queue_with([](auto& each) { each.slow_after = seconds{1}; })},
    {"shared_queue, id_of", queue_with([](auto& each) {
       each.id_of = [](const auto&) { return libpool::flow_key{1}; };
     })},
    {"shared_queue, trace_of", queue_with([](auto& each) {
       each.trace_of = [](const auto&) { return std::string{"request"}; };
     })},
    {"shared_queue, throttles", queue_with([](auto& each) {
       each.throttled_by = [](const auto&) { return libpool::flow_key{1}; };
       each.throttles.of_each_flow.most_running = 100;
     })},
    {"shared_queue, rate", queue_with([](auto& each) {
       each.throttles.of_all.most_begun = libpool::rate{1e12, capacity};
     })},
    {"shared_queue, deadline_of", queue_with([](auto& each) {
       each.deadline_of = [](const auto&) {
         return std::optional<libpool::duration>{seconds{20}};
       };
     })},
    {"shared_queue, retry_on", queue_with([](auto& each) {
       each.retry_on = [](const caf::error&, unsigned) {
         return libpool::duration{0};
       };
     })},
    {"shared_queue, time_limit",
     queue_with([](auto& each) { each.time_limit = std::chrono::hours{1}; })},
    {"shared_queue, drop_hopeless", queue_with([](auto& each) {
       each.deadline = std::chrono::hours{1};
       each.drop_hopeless = true;
     })},
    {"fair_queuing, throttles", throttled_by_flow()},
    {"shared_queue, guide", queue_with([](auto& each) {
       each.capacity = capacity;
       each.deadline = seconds{20};
       each.on_crash = libpool::retry{1};
       each.restart.max = 5;
     })},
    {"fair_queuing, 64 flows", by_flow({})},
    {"fair_queuing, kubernetes", by_flow(as_in_kubernetes())},
  };
}

} // namespace bench

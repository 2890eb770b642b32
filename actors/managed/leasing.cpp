#include "libpool/actors/managed/leasing.hpp"

#include <memory>
#include <utility>

namespace libpool {

void leasing::begin(managed_task& first, managed_worker& worker, instant now) {
  if (worker.lease == nullptr)
    worker.lease = std::make_unique<worker_lease>(worker);
  worker.lease->begin(now, worker.leased_until);
  worker.lease->tasks.assign(1, &first);
}

void leasing::add(managed_task& added, managed_worker& worker) {
  worker.lease->add(queued_element{std::move(added.element)});
  worker.lease->tasks.push_back(&added);
}

/// Answers of requests pass when the worker goes on with the next message.
void leasing::give(tracked_element& carrier, const managed_worker& worker,
                   bool stops_at_errors) {
  auto is_intercepted = [](const managed_task* each) {
    return each->extras().interceptor != nullptr;
  };
  const auto& tasks = worker.lease->tasks;
  carrier.follow_with(*worker.lease);
  if (std::any_of(tasks.begin(), tasks.end(), is_intercepted))
    carrier.pass_answers();
  if (stops_at_errors)
    carrier.stop_at_errors();
}

} // namespace libpool

#include "libpool/actors/futures/thread_client.hpp"

#include "libpool/actors/caf/port/name_of_threads.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

namespace libpool {

namespace {

/// Number of the only actor that a client watches: one that ends with the actor
/// system.
constexpr worker_number system_number{0};

caf::error system_ended() {
  return make_error(errc::pool_closed, "the actor system has ended");
}

caf::strong_actor_ptr registered(caf::actor_system& system) {
  auto found = system.registry().get<caf::strong_actor_ptr>(name_of_threads);
  if (found != nullptr && dynamic_cast<thread_client*>(found->get()) == nullptr)
    throw std::runtime_error{"libpool: submit needs the name lp_threads in "
                             "CAF's registry, which another actor has"};
  return found;
}

} // namespace

caf::strong_actor_ptr thread_client::of_system(caf::actor_system& system) {
  static std::mutex making;
  std::lock_guard<std::mutex> guard{making};
  if (auto found = registered(system))
    return found;
  caf::actor_config cfg;
  auto made = caf::make_actor<thread_client, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg);
  system.registry().put(name_of_threads, made);
  if (auto& server = system.spawn_serv())
    watch(*server->get(), behind(made), system_number);
  else
    behind(made).end();
  return made;
}

std::optional<std::uint64_t> thread_client::add(thread_requests& group,
                                                std::size_t count) {
  {
    std::lock_guard<std::mutex> guard{mutex_};
    if (!has_ended_) {
      open_.insert(&group);
      return std::exchange(next_number_, next_number_ + count);
    }
  }
  group.fail(system_ended());
  return std::nullopt;
}

void thread_client::remove(thread_requests& group) noexcept {
  std::lock_guard<std::mutex> guard{mutex_};
  open_.erase(&group);
}

/// A system that waits for its actors does not end before they do: then a
/// program that CAF's middleman has let in, or the user, has ended the actor
/// that the client watches.
void thread_client::worker_died(worker_number, const caf::error&,
                                execution_context*) {
  auto& system = home_system();
  if (system.await_actors_before_shutdown() && system.registry().running() > 0)
    return;
  end();
  system.registry().erase(name_of_threads);
}

void thread_client::end() {
  std::vector<caf::strong_actor_ptr> groups;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    has_ended_ = true;
    for (auto* each : open_)
      if (auto group = reach(each->address()))
        groups.push_back(std::move(group));
    open_.clear();
  }
  for (auto& each : groups)
    static_cast<thread_requests&>(*each->get()).fail(system_ended());
}

} // namespace libpool

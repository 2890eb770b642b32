/// How much memory a message takes that waits in a pool: heap bytes for each of
/// 200 000 messages with one number, while the only worker is busy. A plain
/// actor, whose mailbox has the messages, is the measure. Then the sizes of
/// what a pool keeps beside its messages.

#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>

namespace {

using libpool::actor_pool;
using libpool::managed_options;

constexpr int messages = 200'000;

std::size_t allocated() {
  auto all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// Handles a message when the gate is open.
caf::behavior patient(const std::shared_future<void>& gate) {
  return {[gate](int x) {
    gate.wait();
    return x;
  }};
}

using maker = std::function<caf::actor(caf::actor_system&,
                                       const std::function<caf::actor()>&)>;

/// Returns the bytes of each message to the actor, or pool, that `make`
/// returns. Nothing is left of it afterwards.
std::size_t bytes_with(const maker& make, bool is_pool, bool asks) {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  std::promise<void> opens;
  auto gate = opens.get_future().share();
  auto target = make(system, [&] { return system.spawn(patient, gate); });
  caf::scoped_actor self{system};
  port::anon_send(target, 0);
  auto before = allocated();
  for (auto i = 0; i < messages; ++i)
    if (asks)
      (void)port::request(self, target, caf::infinite, i);
    else
      port::anon_send(target, i);
  if (is_pool)
    actor_pool::summary(target); // the pool looks at all of them
  auto result = (allocated() - before) / messages;
  opens.set_value();
  caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
  return result;
}

void measure(const char* name, bool is_pool, const maker& make) {
  fmt::print("{:<34}{:>12}{:>12}\n", name, bytes_with(make, is_pool, false),
             bytes_with(make, is_pool, true));
}

void mailbox(const char* name) {
  measure(name, false,
          [](caf::actor_system&, const std::function<caf::actor()>& worker) {
            return worker();
          });
}

void pool(const char* name, const actor_pool::policy& how) {
  measure(
    name, true,
    [&](caf::actor_system& system, const std::function<caf::actor()>& worker) {
      return libpool::spawn_pool(system, 1, how, worker);
    });
}

managed_options without_leases() {
  managed_options result;
  result.leases = false;
  return result;
}

managed_options with_deadline() {
  managed_options result;
  result.deadline = std::chrono::hours{1};
  return result;
}

managed_options with_tasks() {
  auto result = with_deadline();
  result.window = 2;
  return result;
}

managed_options with_retries() {
  managed_options result;
  result.on_crash = libpool::retry{1};
  return result;
}

libpool::key_options with_keys() {
  libpool::key_options result;
  result.key_of = [](const libpool::message_content& content) {
    return std::optional{
      static_cast<std::uint64_t>(content.get_as<int>(0) % 1000)};
  };
  return result;
}

} // namespace

int main() {
  fmt::print("{:<34}{:>12}{:>12}\n", "bytes of a waiting message", "sent",
             "requested");
  mailbox("mailbox of an actor");
  pool("round_robin, direct", actor_pool::round_robin());
  pool("shared_queue", actor_pool::shared_queue());
  pool("shared_queue, no leases", actor_pool::shared_queue(without_leases()));
  pool("shared_queue, deadline", actor_pool::shared_queue(with_deadline()));
  pool("shared_queue, retry", actor_pool::shared_queue(with_retries()));
  pool("shared_queue, deadline, window 2",
       actor_pool::shared_queue(with_tasks()));
  pool("fair_queuing", actor_pool::fair_queuing());
  pool("priority", actor_pool::priority());
  pool("earliest_deadline", actor_pool::earliest_deadline(with_deadline()));
  pool("least_used", actor_pool::least_used());
  pool("consistent_hash", actor_pool::consistent_hash(with_keys()));
  fmt::print("{:<34}{:>12}\n", "a histogram of stats",
             sizeof(libpool::histogram));
  fmt::print("{:<34}{:>12}\n", "a recorded run, without its trace",
             sizeof(libpool::recorded_run));
}

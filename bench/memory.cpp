/// How much memory a message takes that waits in a pool: heap bytes for each of
/// 200 000 messages with one number, while the only worker is busy. A plain
/// actor, whose mailbox has the messages, is the measure.

#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <malloc.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

class measuring {
public:
  explicit measuring(caf::actor_system& system) : system_(system) {
    // nop
  }

  void mailbox(const char* name) {
    measure(name, false, [this] { return worker(); });
  }

  void pool(const char* name, const actor_pool::policy& how) {
    measure(name, true, [&] {
      return libpool::spawn_pool(system_, 1, how, [this] { return worker(); });
    });
  }

private:
  caf::actor worker() {
    return system_.spawn(patient, gate_);
  }

  template <class Make>
  void measure(const char* name, bool is_pool, Make make) {
    std::array<std::size_t, 2> taken{};
    for (auto asks : {false, true}) {
      std::promise<void> opens;
      gate_ = opens.get_future().share();
      auto target = make();
      caf::scoped_actor self{system_};
      caf::anon_send(target, 0);
      auto before = allocated();
      for (auto i = 0; i < messages; ++i)
        if (asks)
          (void)port::request(self, target, caf::infinite, i);
        else
          caf::anon_send(target, i);
      if (is_pool)
        actor_pool::summary(target); // the pool looks at all of them
      taken[asks ? 1 : 0] = allocated() - before;
      opens.set_value();
      caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
      self->wait_for(target);
    }
    fmt::print("{:<34}{:>12}{:>12}\n", name, taken[0] / messages,
               taken[1] / messages);
  }

  caf::actor_system& system_;
  std::shared_future<void> gate_;
};

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
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  fmt::print("{:<34}{:>12}{:>12}\n", "bytes of a waiting message", "sent",
             "requested");
  measuring all{system};
  all.mailbox("mailbox of an actor");
  all.pool("round_robin, direct", actor_pool::round_robin());
  all.pool("shared_queue", actor_pool::shared_queue());
  all.pool("shared_queue, no leases",
           actor_pool::shared_queue(without_leases()));
  all.pool("shared_queue, deadline", actor_pool::shared_queue(with_deadline()));
  all.pool("shared_queue, retry", actor_pool::shared_queue(with_retries()));
  all.pool("fair_queuing", actor_pool::fair_queuing());
  all.pool("priority", actor_pool::priority());
  all.pool("earliest_deadline", actor_pool::earliest_deadline(with_deadline()));
  all.pool("least_used", actor_pool::least_used());
  all.pool("consistent_hash", actor_pool::consistent_hash(with_keys()));
}

/// Three replicas of a table, one of them slow. A write is done when two of
/// them have it; a read is asked of another one if the first takes long.

#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

class replica : public caf::event_based_actor {
public:
  replica(caf::actor_config& cfg, std::chrono::milliseconds takes)
    : caf::event_based_actor(cfg), takes_(takes) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {
      [this](caf::put_atom, const std::string& key, int value) {
        std::this_thread::sleep_for(takes_);
        table_[key] = value;
      },
      [this](caf::get_atom, const std::string& key) -> caf::result<int> {
        std::this_thread::sleep_for(takes_);
        auto i = table_.find(key);
        if (i == table_.end())
          return caf::make_error(caf::sec::invalid_argument);
        return i->second;
      },
    };
  }

private:
  std::chrono::milliseconds takes_;
  std::map<std::string, int> table_;
};

/// The workers belong to several pools.
caf::actor pool_of(caf::actor_system& system,
                   const std::vector<caf::actor>& workers,
                   const libpool::actor_pool::policy& policy) {
  std::size_t next = 0;
  return libpool::actor_pool::make(
    system, workers.size(), [&] { return workers[next++]; }, policy);
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  std::vector<caf::actor> replicas;
  for (auto takes : {200ms, 0ms, 0ms})
    replicas.push_back(system.spawn<replica, caf::detached>(takes));

  libpool::managed_options strict;
  strict.deadline = 10s;
  auto writes = pool_of(system, replicas,
                        libpool::actor_pool::quorum(
                          3, 2, libpool::actor_pool::shared_queue(strict)));
  auto reads = pool_of(system, replicas,
                       libpool::actor_pool::hedged(20ms, 100));

  auto status = 0;
  caf::scoped_actor self{system};
  auto failed = [&](const caf::error& why) {
    std::cerr << "replicas: " << libpool::render(why, system) << '\n';
    status = 1;
  };
  for (auto i = 1; i <= 3; ++i)
    port::request(self, writes, caf::infinite, caf::put_atom{}, "x", i)
      .receive([&] { std::cout << "two replicas have " << i << '\n'; }, failed);
  for (auto i = 1; i <= 6; ++i)
    port::request(self, reads, caf::infinite, caf::get_atom{}, "x")
      .receive([](int value) { std::cout << "read " << value << '\n'; },
               failed);
  std::cout << libpool::actor_pool::stats(reads).hedged
            << " of 6 reads were sent to a second replica\n";
  for (auto& pool : {reads, writes})
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return status;
}

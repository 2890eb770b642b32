/// Pools and the mail of CAF 1: a message is written first, and then sent,
/// requested or delegated. A pool takes it like any actor. To ask several
/// actors at once, which `fan_out_request` was for, takes a pool that gathers:
/// one request, one answer, one deadline.

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

/// Counts the words that it gets.
struct counter {
  caf::behavior make_behavior() {
    return {
      [this](caf::put_atom, const std::string&) { ++words; },
      [this](caf::get_atom) { return words; },
    };
  }

  int words = 0;
};

/// Each message goes to all workers, and their answers are added up.
libpool::actor_pool::policy sum_of_all() {
  using libpool::actor_pool;
  auto add = [](int& sum, int words) { sum += words; };
  libpool::managed_options options;
  options.deadline = 10s;
  return actor_pool::broadcast_all<int>(add, 0, {},
                                        actor_pool::shared_queue(options));
}

/// Makes an actor that lets the pools answer in its place.
caf::behavior front(caf::event_based_actor* self, const caf::actor& any,
                    const caf::actor& all) {
  return {
    [self, any](caf::put_atom put, const std::string& word) {
      return self->mail(put, word).delegate(any);
    },
    [self, all](caf::get_atom get) { return self->mail(get).delegate(all); },
  };
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  auto failed = [&](const caf::error& why) {
    std::cout << libpool::render(why, system) << '\n';
  };

  // Two pools with the same workers.
  auto any = libpool::spawn_pool(system, 3, caf::actor_from_state<counter>);
  auto all = libpool::actor_pool::make(system, sum_of_all());
  self->mail(caf::sys_atom_v, caf::get_atom_v)
    .request(any, 10s)
    .receive(
      [&](const std::vector<caf::actor>& workers) {
        for (const auto& worker : workers)
          self->mail(caf::sys_atom_v, caf::put_atom_v, worker).send(all);
      },
      failed);

  self->mail(caf::put_atom_v, "sent").send(any);
  self->mail(caf::put_atom_v, "requested")
    .request(any, 10s)
    .receive([] { std::cout << "one worker has counted the word\n"; }, failed);

  auto both = system.spawn(front, any, all);
  self->mail(caf::put_atom_v, "delegated")
    .request(both, 10s)
    .receive([] { std::cout << "one worker has counted the word\n"; }, failed);
  self->mail(caf::get_atom_v)
    .request(both, 10s)
    .receive(
      [](int words) {
        std::cout << "all workers have counted " << words << " words\n";
      },
      failed);

  for (const auto& each : {both, any, all})
    caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
}

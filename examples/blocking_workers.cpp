/// Workers that wait in threads of their own: how they get messages, and how
/// they end.

#include "libpool/pool.hpp"
#include "port/receiving.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <iostream>
#include <string>
#include <utility>

namespace {

/// A worker with its own thread, so that it may wait for a disk or a database.
class reader : public caf::blocking_actor {
public:
  using caf::blocking_actor::blocking_actor;

  void act() override {
    auto goes_on = true;
    receive_while(goes_on)(
      [](const std::string& name) { return "contents of " + name; },
      [&](caf::exit_msg& message) {
        fail_state(std::move(message.reason));
        goes_on = false;
      },
      port::refuse_others());
  }
};

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool<reader>(system, 2);
  caf::scoped_actor self{system};
  auto tell_error = [&](const caf::error& why) {
    std::cout << libpool::render(why, system) << '\n';
  };
  port::request(self, pool, caf::infinite, "a.txt")
    .receive([](const std::string& text) { std::cout << text << '\n'; },
             tell_error);
  port::request(self, pool, caf::infinite, 7)
    .receive([] { std::cout << "no error\n"; }, tell_error);

  libpool::actor_pool::drain(pool); // each worker gets an exit message
  self->wait_for(pool);
}

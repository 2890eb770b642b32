/// A policy of one's own: requests go to the worker that has been given the
/// fewest bytes so far. The rule is in a header, so that tests can try it
/// without actors; this makes a policy of it, which upgrades its guard to
/// change it.

#include "fewest_bytes.hpp"

#include "libpool/pool.hpp"
#include "port/content.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>

namespace {

class by_bytes {
public:
  void operator()(caf::actor_system&, libpool::actor_pool::uplock& guard,
                  const libpool::actor_pool::actor_vec& workers,
                  caf::mailbox_element_ptr& element,
                  libpool::execution_context* host) {
    auto size = port::content_of(*element).get_as<std::string>(0).size();
    guard.upgrade(); // from here on alone
    rule_.resize(workers.size());
    auto worker = rule_.next();
    rule_.gave(worker, size);
    guard.unlock(); // never send under a lock that one need not hold
    workers[worker]->enqueue(std::move(element), host);
  }

private:
  fewest_bytes rule_;
};

class listener : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const std::string&) { return id(); }};
  }
};

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::actor_pool::make(
    system, 2, [&] { return system.spawn<listener>(); }, by_bytes{});
  caf::scoped_actor self{system};
  for (auto size : {100, 1, 1, 1, 200, 1}) {
    auto text = std::string(static_cast<std::size_t>(size), 'x');
    port::request(self, pool, caf::infinite, text)
      .receive(
        [&](caf::actor_id worker) {
          std::cout << size << " bytes to worker " << worker << '\n';
        },
        [&](const caf::error& why) {
          std::cerr << libpool::render(why, system) << '\n';
        });
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

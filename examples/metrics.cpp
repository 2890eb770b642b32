/// A pool that Prometheus can scrape. `metrics` prints its port, then the
/// square of each number that it reads, and ends with its input. Meanwhile its
/// metrics are at http://127.0.0.1:PORT/metrics.

#include "libpool/observability/metrics/metrics_collector.hpp"
#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>
#include <httplib.h>

#include <iostream>
#include <thread>

namespace {

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(system, 4, squarer);

  libpool::metrics_collector collector;
  collector.add(pool, "squares");
  httplib::Server server;
  server.Get("/metrics",
             [&](const httplib::Request&, httplib::Response& target) {
               target.set_content(collector.exposition(),
                                  "text/plain; version=0.0.4; charset=utf-8");
             });
  std::cout << server.bind_to_any_port("127.0.0.1") << std::endl;
  std::thread serving{[&] { server.listen_after_bind(); }};

  caf::scoped_actor self{system};
  auto number = 0;
  while (std::cin >> number)
    port::request(self, pool, caf::infinite, number)
      .receive([](int square) { std::cout << square << std::endl; },
               [&](const caf::error& why) {
                 std::cerr << libpool::render(why, system) << '\n';
               });
  while (!server.is_running())
    std::this_thread::yield(); // one that does not run yet would not stop
  server.stop();
  serving.join();
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

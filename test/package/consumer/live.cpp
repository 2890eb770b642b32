/// Shows a pool, and looks at what it shows, as a program that has its own use
/// of cpp-httplib.

#include <libpool/live/live_view.hpp>
#include <libpool/pool.hpp>

#include <caf/all.hpp>
#include <httplib.h>

#include <string>

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(
    system, 1, [] { return caf::behavior{[](int x) { return x; }}; });
  auto is_shown = false;
  {
    libpool::live_view view;
    view.add(pool, "pool");
    httplib::Client client{"127.0.0.1", view.port()};
    auto reply = client.Get("/api/v1/pools");
    is_shown = reply && reply->body.find("\"pool\"") != std::string::npos;
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return is_shown ? 0 : 1;
}

/// Shows a pool.

#include <libpool/live/live_view.hpp>
#include <libpool/pool.hpp>

#include <caf/all.hpp>

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
    is_shown = view.url().find("http://127.0.0.1:") == 0;
  }
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return is_shown ? 0 : 1;
}

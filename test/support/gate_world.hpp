#pragma once

#include "libpool/pool.hpp"
#include "libpool/remote/connect.hpp"
#include "libpool/remote/gate.hpp"
#include "support/secure_node.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <optional>
#include <utility>

namespace test {

inline caf::behavior squaring(caf::event_based_actor*, int) {
  return {[](int x) { return x * x; }};
}

/// A pool on one node, and a client on another one, which know each other by
/// TCP only.
struct gate_world {
  explicit gate_world(const libpool::tls_files& files = known().of("one"),
                      const libpool::tls_files& others = known().of("two"))
    : here(files), there(others) {
    libpool::managed_options options;
    options.workers = 2;
    pool = libpool::spawn_pool(
      here.system, options, [this] { return here.system.spawn(squaring, 0); });
  }

  ~gate_world() {
    gate.reset();
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  }

  gate_world(const gate_world&) = delete;
  gate_world& operator=(const gate_world&) = delete;

  void open(const libpool::gate_options& options = {}) {
    auto opened = libpool::gate::for_submitters(here.system, pool, options);
    if (!opened)
      FAIL(libpool::render(opened.error(), here.system));
    gate.emplace(std::move(*opened));
  }

  /// A handle of the gate, on the client's node.
  caf::actor connected(const libpool::connect_options& how = {patience}) {
    auto found = connect(how);
    if (!found)
      FAIL(libpool::render(found.error(), there.system));
    return *found;
  }

  caf::expected<caf::actor> connect(const libpool::connect_options& how = {
                                      patience}) {
    return libpool::connect(there.system, {"127.0.0.1", gate->port()}, how);
  }

  /// The error that the request is answered with, if it is.
  template <class... Ts>
  caf::error refusal_of(const caf::actor& actor, Ts... content) {
    caf::error result;
    client->request(actor, patience, std::move(content)...)
      .receive([](caf::message&) {},
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  /// The square of `x`, or 0.
  int ask(const caf::actor& actor, int x) {
    auto result = 0;
    client->request(actor, patience, x)
      .receive(
        [&](int y) { result = y; },
        [&](caf::error& why) { MESSAGE(libpool::render(why, there.system)); });
    return result;
  }

  libpool::pool_stats stats() const {
    return libpool::actor_pool::stats(pool);
  }

  secure_node here;
  secure_node there;
  caf::scoped_actor client{there.system};
  caf::actor pool;
  std::optional<libpool::gate> gate;
};

} // namespace test

#pragma once

#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "nats_server.hpp"
#include "support/config.hpp"
#include "support/patience.hpp"

#include <caf/all.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// An actor system that knows others only through a NATS server.
struct program {
  config how{2};
  caf::actor_system system{how};
};

inline caf::behavior squaring() {
  return {[](int x) { return x * x; },
          [](const std::string& x) { return static_cast<int>(x.size()); },
          [](int, std::size_t bytes) { return std::string(bytes, 'x'); }};
}

/// Handlers that never answer.
inline caf::behavior never_answering(caf::event_based_actor* self) {
  auto kept = std::make_shared<std::vector<caf::response_promise>>();
  return {[self, kept](int) {
    kept->push_back(self->make_response_promise());
    return kept->back();
  }};
}

/// A pool, a node and a client in programs of their own.
struct nats_world {
  explicit nats_world(std::size_t max_payload = std::size_t{1} << 20U)
    : server(max_payload), where{"squares", server.options()} {
    with.patience = patience;
  }

  ~nats_world() {
    end();
  }

  nats_world(const nats_world&) = delete;
  nats_world& operator=(const nats_world&) = delete;

  /// Serves a distributed pool.
  void serve(const libpool::serve_options& options = {}) {
    pool = libpool::actor_pool::make(front->system,
                                     libpool::actor_pool::distributed(nodes));
    libpool::serve(pool, where, options);
  }

  /// Serves a pool whose workers are in its own program.
  template <class Behavior>
  void serve_local(Behavior behavior, std::size_t workers = 1) {
    pool = libpool::spawn_pool(front->system, workers, behavior);
    libpool::serve(pool, where);
  }

  template <class Behavior = caf::behavior()>
  void join(Behavior* behavior = squaring, const std::string& name = "node") {
    libpool::join_options offer;
    offer.slots = 2;
    offer.name = name;
    agent = libpool::join_pool(node->system, where, offer, behavior);
  }

  void connect() {
    remote = libpool::connect(client->system, where, with);
  }

  void begin() {
    serve();
    join();
    connect();
  }

  caf::scoped_actor& asker() {
    return *own_asker;
  }

  /// Sends requests, the numbers from `first` to `last`, without a wait.
  auto request_all(const caf::actor& from, int first, int last) {
    std::vector<decltype(asker()->request(from, patience, first))> result;
    for (auto i = first; i <= last; ++i)
      result.push_back(asker()->request(from, patience, i));
    return result;
  }

  /// The answer to the message, or a value that no answer has.
  template <class Answer = int, class... Ts>
  Answer ask(const Ts&... content) {
    Answer result{};
    asker()
      ->request(remote, patience, content...)
      .receive([&](Answer& got) { result = std::move(got); },
               [&](caf::error& why) {
                 MESSAGE(libpool::render(why, client->system));
               });
    return result;
  }

  /// The error that answers the message, if it is an error.
  template <class... Ts>
  caf::error refusal_of(const Ts&... content) {
    caf::error result;
    asker()
      ->request(remote, patience, content...)
      .receive([](caf::message&) {},
               [&](caf::error& why) { result = std::move(why); });
    return result;
  }

  /// Returns the tasks of the pool, as it counts them or as its client does.
  static libpool::ledger tasks_of(const caf::actor& of) {
    return libpool::actor_pool::stats(of).tasks;
  }

  /// Ends all actors.
  void end() {
    for (auto* each : {&remote, &agent, &pool})
      end(*each);
  }

  static void end(caf::actor& which) {
    if (auto last = std::exchange(which, nullptr))
      caf::anon_send_exit(last, caf::exit_reason::user_shutdown);
  }

  nats_server server;
  libpool::pool_address where;
  libpool::node_options nodes;
  libpool::connect_options with;
  std::optional<program> front{std::in_place};
  std::optional<program> node{std::in_place};
  std::optional<program> client{std::in_place};
  std::optional<caf::scoped_actor> own_asker{std::in_place, client->system};
  caf::actor pool;
  caf::actor agent;
  caf::actor remote;
};

} // namespace test

#include "libpool/nodes/serve.hpp"

#include "libpool/actors/distributed.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/nats/front_lock.hpp"
#include "libpool/nodes/nats/nats_line.hpp"
#include "libpool/nodes/nats/work_taker.hpp"

#include <caf/actor.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

void demand_option(bool holds, const std::string& what) {
  if (!holds)
    throw std::invalid_argument("libpool: serve_options: " + what);
}

/// `turn` is set if several programs serve the pool in turn.
void serve_now(const caf::actor& pool, const pool_address& where,
               const serve_options& options,
               std::optional<std::uint64_t> turn = std::nullopt) {
  auto opener = [&where](const nats_subjects& subjects) {
    return [&where, subjects](std::shared_ptr<transport_user> user) {
      return open_nats_line(where.by, subjects, std::move(user));
    };
  };
  if (is_distributed(pool))
    detail::serve_nodes(pool, opener(subjects_for_nodes(where.by, where.pool)),
                        turn);
  detail::serve_clients(
    pool, {options.messages_of_client, options.credit, turn.value_or(0)},
    opener(subjects_for_clients(where.by, where.pool)));
  if (options.durable)
    detail::serve_queue(
      pool, {options.durable->retries, options.durable->is_failure},
      [&](std::shared_ptr<work_user> user) {
        return open_work_queue(
          where, *options.durable, std::move(user), options.on_waiting,
          std::make_shared<caf::scoped_actor>(pool->home_system()));
      });
  if (options.on_serving)
    options.on_serving();
}

/// Keeps a pool, and its actor system. The pool is destroyed first.
struct kept_pool {
  std::shared_ptr<caf::scoped_actor> system;
  caf::actor pool;
};

/// The calls of the lock keep the pool and its actor system until the pool
/// ends.
void serve_in_turn(const caf::actor& pool, const pool_address& where,
                   const serve_options& options) {
  kept_pool kept{std::make_shared<caf::scoped_actor>(pool->home_system()),
                 pool};
  auto end = [kept](errc code, std::string why) {
    detail::end_pool(kept.pool, make_error(code, std::move(why)));
  };
  lock_user user;
  user.acquired = [kept, where, options, end](std::uint64_t turn) {
    try {
      serve_now(kept.pool, where, options, turn);
    } catch (const std::exception& e) {
      end(errc::not_connected, e.what());
    }
  };
  user.waits = [say = options.on_waiting](const std::string& why) {
    if (say)
      say(why);
  };
  user.lost = [end](const std::string& why) { end(errc::front_lost, why); };
  front_lock lock{where, *options.standby, std::move(user)};
  pool->attach_functor([lock] { lock.release(); });
}

} // namespace

void check(const serve_options& options) {
  demand_option(options.messages_of_client >= 1,
                "messages_of_client must be at least 1, got 0");
  demand_option(options.credit >= 1024, "credit must be at least 1024, got "
                                          + std::to_string(options.credit));
  constexpr duration least = std::chrono::seconds{1};
  constexpr duration most = std::chrono::hours{1};
  if (options.standby)
    demand_option(*options.standby >= least && *options.standby <= most,
                  "standby must be between 1 s and 1 h");
  if (!options.durable)
    return;
  demand_option(options.durable->window >= 1,
                "durable.window must be at least 1, got 0");
  demand_option(options.durable->redelivery >= least
                  && options.durable->redelivery <= most,
                "durable.redelivery must be between 1 s and 1 h");
  demand_option(options.durable->keep_results >= options.durable->redelivery,
                "durable.keep_results must be at least durable.redelivery");
  demand_option(options.durable->keep_failed == duration{0}
                  || options.durable->keep_failed
                       >= options.durable->keep_results,
                "durable.keep_failed must be 0, or at least "
                "durable.keep_results");
}

void serve(const caf::actor& pool, const pool_address& where,
           const serve_options& options) {
  check(where);
  check(options);
  if (!pool)
    throw std::invalid_argument("libpool: serve: the handle is empty");
  if (options.standby)
    serve_in_turn(pool, where, options);
  else
    serve_now(pool, where, options);
}

} // namespace libpool

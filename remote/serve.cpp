#include "libpool/remote/serve.hpp"

#include "libpool/actors/distributed.hpp"
#include "libpool/remote/nats_line.hpp"

#include <caf/actor.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

void demand_option(bool holds, const std::string& what) {
  if (!holds)
    throw std::invalid_argument("libpool: serve_options: " + what);
}

} // namespace

void check(const serve_options& options) {
  demand_option(options.messages_of_client >= 1,
                "messages_of_client must be at least 1, got 0");
  demand_option(options.credit >= 1024, "credit must be at least 1024, got "
                                          + std::to_string(options.credit));
}

void serve(const caf::actor& pool, const pool_address& where,
           const serve_options& options) {
  check(where);
  check(options);
  auto opener = [&where](const nats_subjects& at) {
    return [&where, at](std::shared_ptr<transport_user> user) {
      return open_nats_line(where.by, at, std::move(user));
    };
  };
  if (is_distributed(pool))
    detail::serve_nodes(pool, opener(subjects_for_nodes(where.by, where.pool)));
  detail::serve_clients(pool, {options.messages_of_client, options.credit},
                        opener(subjects_for_clients(where.by, where.pool)));
}

} // namespace libpool

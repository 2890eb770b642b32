#include "libpool/remote/join_pool.hpp"

#include "libpool/remote/nats_line.hpp"

#include <unistd.h>

#include <array>
#include <random>
#include <stdexcept>
#include <utility>

namespace libpool {

namespace {

std::string name_of_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "node";
}

incarnation draw_run() {
  std::random_device entropy;
  return incarnation{std::uint64_t{entropy()} << 32U | entropy()};
}

} // namespace

caf::actor join_pool(caf::actor_system& system, const pool_address& where,
                     const join_options& options,
                     const std::function<caf::actor()>& factory) {
  check(where.by);
  if (where.pool.empty())
    throw std::invalid_argument("libpool: join_pool: pool must not be empty");
  auto how = options;
  if (how.name.empty())
    how.name = name_of_host();
  detail::front_access access;
  access.run = draw_run();
  access.open = [by = where.by, at = subjects_of_node(
                                  where.by, where.pool, how.name,
                                  static_cast<std::uint64_t>(*access.run))](
                  std::shared_ptr<transport_user> user) {
    return open_nats_line(by, at, std::move(user));
  };
  return detail::join_pool(system, std::move(access), how, factory);
}

} // namespace libpool

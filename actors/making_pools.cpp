/// How pools are made, asked and told things.

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/atoms.hpp"
#include "libpool/actors/handles.hpp"
#include "libpool/actors/managed_pool.hpp"
#include "libpool/actors/words.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

managed_pool& managed_pool_behind(const caf::actor& handle, const char* who) {
  if (auto* pool = pool_behind<managed_pool>(handle))
    return *pool;
  throw std::invalid_argument(std::string{"libpool: actor_pool::"} + who
                              + ": not a managed pool");
}

template <class Pool, class Policy>
caf::actor make_pool(caf::actor_system& system, Policy&& how,
                     pool_options&& options) {
  caf::actor_config cfg;
  return caf::make_actor<Pool, caf::actor>(
    system.next_actor_id(), system.node(), &system, cfg,
    std::forward<Policy>(how), std::move(options));
}

} // namespace

/// Gives the pool behind `handle` its workers; stops it if that fails.
template <class Pool>
void actor_pool::populate(const caf::actor& handle, std::size_t n,
                          const factory& fac) {
  auto& pool = *pool_behind<Pool>(handle);
  try {
    pool.populate(n, fac);
  } catch (...) {
    pool.stop(caf::exit_reason::user_shutdown, nullptr);
    throw;
  }
}

caf::actor actor_pool::make(caf::actor_system& system, policy how,
                            pool_options options) {
  if (!how)
    throw std::invalid_argument("libpool: actor_pool::make: empty policy");
  if (auto* managed = how.managed())
    return make_pool<managed_pool>(system, *managed, std::move(options));
  return make_pool<actor_pool>(system, std::move(how), std::move(options));
}

caf::actor actor_pool::make(caf::actor_system& system, std::size_t n,
                            const factory& fac, policy how,
                            pool_options options) {
  if (fac == nullptr)
    throw std::invalid_argument("libpool: actor_pool::make: empty factory");
  auto managed = how.managed() != nullptr;
  auto result = make(system, std::move(how), std::move(options));
  if (managed)
    populate<managed_pool>(result, n, fac);
  else
    populate<actor_pool>(result, n, fac);
  return result;
}

caf::actor actor_pool::make(caf::execution_unit* host, policy how,
                            pool_options options) {
  if (host == nullptr)
    throw std::invalid_argument("libpool: actor_pool::make: no execution unit");
  return make(host->system(), std::move(how), std::move(options));
}

caf::actor actor_pool::make(caf::execution_unit* host, std::size_t n,
                            const factory& fac, policy how,
                            pool_options options) {
  if (host == nullptr)
    throw std::invalid_argument("libpool: actor_pool::make: no execution unit");
  return make(host->system(), n, fac, std::move(how), std::move(options));
}

pool_stats actor_pool::stats(const caf::actor& handle) {
  if (auto* managed = pool_behind<managed_pool>(handle))
    return managed->stats();
  auto* pool = pool_behind<actor_pool>(handle);
  if (pool == nullptr)
    throw std::invalid_argument("libpool: actor_pool::stats: not a pool");
  pool_stats result;
  result.workers = pool->workers_.read()->workers().size();
  result.refused = pool->refused_.load();
  return result;
}

void actor_pool::resize(const caf::actor& handle, std::size_t n) {
  if (n == 0)
    throw std::invalid_argument("libpool: actor_pool::resize: a pool has at "
                                "least 1 worker");
  managed_pool_behind(handle, "resize")
    .eq_impl(caf::make_message_id(), nullptr, nullptr, caf::sys_atom{},
             resize_atom{}, std::uint64_t{n});
}

void actor_pool::drain(const caf::actor& handle) {
  managed_pool_behind(handle, "drain")
    .eq_impl(caf::make_message_id(), nullptr, nullptr, caf::sys_atom{},
             drain_atom{});
}

/// Starts with `n` workers of `fac`, of which dead ones do not count. All join
/// at once, so that the early death of the first is not taken for the death of
/// the last.
void actor_pool::populate(std::size_t n, const factory& fac) {
  actor_vec made;
  made.reserve(n);
  try {
    for (std::size_t i = 0; i < n; ++i) {
      auto worker = fac();
      if (is_nobody(worker))
        throw std::invalid_argument("libpool: actor_pool::make: the factory "
                                    "returned an invalid handle");
      if (std::find(made.begin(), made.end(), worker) != made.end())
        throw std::invalid_argument("libpool: actor_pool::make: the factory "
                                    "returned "
                                    + name_of(actor_behind(worker)) + " twice");
      made.push_back(std::move(worker));
    }
  } catch (...) {
    add(made); // whoever stops the pool stops them
    throw;
  }
  add(made);
}

} // namespace libpool

/// The actors of a scenario.

#include "world.hpp"

#include "libpool/actors/caf/handles.hpp"

namespace products {

bool lives(const caf::actor_addr& each) {
  auto worker = caf::actor_cast<caf::actor>(each);
  return worker && !libpool::is_dead(libpool::actor_behind(worker));
}

std::size_t serving(const caf::actor_addr& pool) {
  using libpool::actor_pool;
  return lives(pool)
           ? actor_pool::stats(caf::actor_cast<caf::actor>(pool)).workers
           : 0;
}

std::size_t slots(const caf::actor_addr& pool) {
  using libpool::actor_pool;
  return lives(pool)
           ? actor_pool::summary(caf::actor_cast<caf::actor>(pool)).slots
           : 0;
}

// -- for events ---------------------------------------------------------------

caf::actor world::some_worker() {
  std::vector<caf::actor_addr> alive;
  std::copy_if(workers_.all().begin(), workers_.all().end(),
               std::back_inserter(alive), lives);
  if (alive.empty())
    return nullptr;
  return caf::actor_cast<caf::actor>(chance(2) ? alive.front()
                                               : alive[below(alive.size())]);
}

caf::actor world::some_pool(bool is_inner) {
  std::vector<caf::actor_addr> alive;
  for (const auto& each : pools_)
    if ((each->is_inner || !is_inner) && lives(each->address))
      alive.push_back(each->address);
  return alive.empty()
           ? nullptr
           : caf::actor_cast<caf::actor>(alive[below(alive.size())]);
}

/// A pool that was told to end may still count as a worker.
void world::excuse_if_last() {
  auto has_one = [this](const auto& each) {
    return each->depth == first_depth_
           && serving(each->address) < 2 + inner_ends_;
  };
  if (std::any_of(pools_.begin(), pools_.end(), has_one))
    excuse();
}

caf::actor world::inner_pool_to_end() {
  excuse_if_last();
  if (++inner_ends_ == 2) // no pool has more of them at first
    excuse();
  return some_pool(true);
}

caf::actor world::outer_pool_to_end() {
  return how_.is_durable && chance(2) ? kept_.back() : front_;
}

caf::actor world::member_of(const caf::actor& pool) {
  auto members = libpool::actor_pool::stats(pool).members;
  if (members.empty())
    return nullptr;
  return chance(2) ? members.front().worker
                   : members[below(members.size())].worker;
}

void world::kill_client() {
  auto client = below(clients_.size());
  if (dead_clients_.insert(client).second)
    clients_[client].die();
}

void world::await_idle(const caf::actor& pool) {
  if (pool)
    idle_waits_.push_back(
      manager_.request(pool, caf::sys_atom{}, libpool::idle_atom{}));
}

std::shared_ptr<pool_record> world::record_of(const caf::actor& pool) const {
  auto i = std::find_if(pools_.begin(), pools_.end(), [&](const auto& each) {
    return each->address == pool.address();
  });
  return i != pools_.end() ? *i : nullptr;
}

void world::resize(const caf::actor& pool, std::size_t n) {
  if (pool == nullptr)
    return;
  record_of(pool)->wanted = n;
  tell(pool, caf::sys_atom{}, libpool::resize_atom{},
       static_cast<std::uint64_t>(n));
}

void world::remove(const caf::actor& pool, const caf::actor& worker) {
  auto stats = libpool::actor_pool::stats(pool);
  auto serves = std::any_of(stats.members.begin(), stats.members.end(),
                            [&](const auto& each) {
                              return each.worker == worker && !each.is_leaving;
                            });
  auto record = record_of(pool);
  if (serves && (record->wanted > 1 || stats.workers == 1))
    record->wanted -= record->wanted > 0 ? 1U : 0U;
  tell(pool, caf::sys_atom{}, caf::delete_atom{}, worker);
}

void world::put_worker() {
  auto pool = some_pool();
  if (how_.shape != shape::plain || how_.is_durable || pool == nullptr
      || records_->has_no_more_workers)
    return;
  put_worker(pool, record_of(pool));
}

void world::put_worker(const caf::actor& pool,
                       const std::shared_ptr<pool_record>& record) {
  if (serving(record->address) < record->most_workers)
    record->wanted = std::min(record->wanted + 1, record->most_workers);
  tell(pool, caf::sys_atom{}, caf::put_atom{}, add_worker(record));
}

void world::pause(const caf::actor& pool, const libpool::pause_scope& which) {
  if (pool == nullptr)
    return;
  tell(pool, caf::sys_atom{}, libpool::pause_atom{}, which);
  paused_.push_back(
    {pool.address(), which.flow, which.worker.address(), which.node});
}

void world::limit(const caf::actor& pool, const libpool::throttles& within) {
  try {
    libpool::actor_pool::set_limits(pool, within);
    limited_.push_back(pool.address());
  } catch (const std::invalid_argument&) {
    // the pool does not know flows
  }
}

void world::change_values(const caf::actor& pool,
                          const libpool::policy_values& values) {
  try {
    libpool::actor_pool::set_policy_values(pool, values);
  } catch (const std::invalid_argument&) {
    // the policy does not use them
  }
}

void world::resume() {
  for (const auto& [pool, flow, worker, node] : std::exchange(paused_, {}))
    if (auto to = caf::actor_cast<caf::actor>(pool)) {
      libpool::pause_scope which;
      which.flow = flow;
      which.worker = caf::actor_cast<caf::actor>(worker);
      which.node = node;
      tell(to, caf::sys_atom{}, libpool::resume_atom{}, which);
    }
  for (const auto& pool : std::exchange(limited_, {}))
    if (auto to = caf::actor_cast<caf::actor>(pool))
      libpool::actor_pool::set_limits(to, {});
}

// -- for laws -----------------------------------------------------------------

bool world::all_pools_serve() const {
  return std::all_of(pools_.begin(), pools_.end(),
                     [](const auto& each) {
                       // that of a pipeline lives with it
                       return each->address == nullptr
                              || serving(each->address) > 0;
                     })
         && std::all_of(lines_.begin(), lines_.end(), lives);
}

bool world::front_serves() const {
  auto is_not_alone = [](const auto& each) {
    return each->address == nullptr || !lives(each->address)
           || serving(each->address) > 0;
  };
  // direct pools give no other pool tasks that a worker has not begun
  auto needs_all = how_.shape == shape::managed_in_direct
                   || how_.shape == shape::shared_pipeline;
  return front_ && lives(front_.address())
         && (needs_all
               ? all_pools_serve()
               : std::all_of(pools_.begin(), pools_.end(), is_not_alone));
}

std::vector<caf::actor> world::lines() const {
  std::vector<caf::actor> result;
  for (const auto& each : lines_)
    if (auto line = caf::actor_cast<caf::actor>(each))
      result.push_back(std::move(line));
  return result;
}

} // namespace products

#include "nodes.hpp"

#include <algorithm>
#include <cassert>
#include <variant>

namespace poolsim {

namespace {

using libpool::node_connections;

constexpr std::uint64_t number_of(libpool::task_number task) noexcept {
  return static_cast<std::uint64_t>(task);
}

duration multiple_of(std::uint64_t many, duration time) {
  auto most = static_cast<std::uint64_t>(duration::max().count());
  auto one = static_cast<std::uint64_t>(time.count());
  if (many > 0 && one > most / many)
    return duration::max();
  return duration{static_cast<std::int64_t>(one * many)};
}

} // namespace

nodes::nodes(const scenario& scenario, node_owner& owner)
  : scenario_(scenario),
    owner_(owner),
    pool_(scenario.nodes->terms),
    due_of_(scenario.workers.size(), duration::max()),
    free_of_(scenario.workers.size()),
    patience_(patience()),
    completed_(scenario.workers.size()) {
  for (std::size_t i = 0; i < scenario.workers.size(); ++i) {
    all_.emplace_back(scenario, i, static_cast<node_watcher&>(*this));
    schedule(i);
  }
}

// -- time ---------------------------------------------------------------------

void nodes::time_passes(duration now, std::uint64_t waiting) {
  auto idle = std::min<std::uint64_t>(free_, waiting);
  books_.idle = after(books_.idle, multiple_of(idle, now - now_));
  now_ = now;
}

duration nodes::next() const {
  auto tick = pool_.next_tick().time_since_epoch();
  return due_.empty() ? tick : std::min(tick, due_.begin()->first);
}

void nodes::happen(duration now) {
  while (!due_.empty() && due_.begin()->first <= now)
    look_at(due_.begin()->second, now);
  if (pool_.next_tick() <= instant_of(now)) {
    pool_.ticked(instant_of(now));
    carry_out(now);
  }
}

/// Does all that is due at the node.
void nodes::look_at(std::size_t node, duration now) {
  auto& place = all_[node];
  while (auto came = place.take_batch(now)) {
    pool_.told(place.connection(), came->batch, came->bytes, instant_of(now));
    carry_out(now);
  }
  place.act(now);
  free_ = free_ - free_of_[node] + place.free_slots();
  free_of_[node] = place.free_slots();
  schedule(node);
}

void nodes::schedule(std::size_t node) {
  auto next = all_[node].next();
  if (next == due_of_[node])
    return;
  due_.erase({due_of_[node], node});
  due_of_[node] = next;
  if (next != duration::max())
    due_.emplace(next, node);
}

void nodes::flush(duration now) {
  if (!pool_.has_to_flush())
    return;
  pool_.flush(instant_of(now));
  carry_out(now);
}

// -- an end of it all ---------------------------------------------------------

/// A hundred leases, and as long as any loss lasts, from when all nodes have
/// joined and suffered what they do once.
duration nodes::patience() const {
  auto planned = duration{0};
  auto longest = duration{0};
  for (const auto& each : scenario_.workers)
    planned = std::max(planned, each.join);
  for (const auto& group : scenario_.nodes->groups)
    for (const auto& each : group.losses) {
      planned = std::max(planned, each.at.value_or(duration{0}));
      longest = std::max(longest, each.lasts.value_or(duration{0}));
    }
  auto leases = multiple_of(100, scenario_.nodes->terms.lease);
  return after(planned, after(longest, leases));
}

bool nodes::is_stuck(duration now) const {
  return runs_ == 0 && now > after(progress_, patience_);
}

// -- what nodes tell ----------------------------------------------------------

libpool::connection_number nodes::connected(std::size_t node) {
  node_of_.push_back(node);
  return libpool::connection_number{node_of_.size() - 1};
}

void nodes::began(const content& task, std::size_t node, duration now) {
  ++runs_;
  progress_ = now;
  auto found = tasks_.find(number_of(task.task));
  if (found != tasks_.end())
    owner_.began(*found->second.of, node);
}

void nodes::ran(const task_run& run) {
  --runs_;
  progress_ = run.ended;
  owner_.ran(run);
}

// -- tasks --------------------------------------------------------------------

void nodes::send(job& task, server& server, duration now) {
  const libpool::task_number number{++last_task_};
  tasks_.emplace(last_task_, open_task{&task, server.id});
  task.at_nodes = last_task_;
  [[maybe_unused]] auto is_taken =
    pool_.submitted(number, server.number, task.from.bytes, may_run_again(task),
                    instant_of(now));
  assert(is_taken);
  progress_ = now;
  carry_out(now);
}

void nodes::cancel(const job& task, const server& server, duration now) {
  pool_.cancel(libpool::task_number{task.at_nodes}, server.number,
               instant_of(now));
  carry_out(now);
}

std::vector<server*> nodes::sessions_of(std::size_t node) const {
  std::vector<server*> result;
  for (const auto& each : sessions_)
    if (each.second->id == node)
      result.push_back(each.second.get());
  return result;
}

/// Whether the dispatcher would have it run again if its node were lost.
bool nodes::may_run_again(const job& task) const {
  auto crashes = task.notes().crashes + 1;
  return crashes <= scenario_.retries
         && (scenario_.poison_after == 0 || crashes < scenario_.poison_after);
}

void nodes::forget(const server& session) {
  sessions_.erase(session.number);
}

// -- decisions ----------------------------------------------------------------

/// Those about tasks and sessions bring no more with them.
void nodes::carry_out(duration now) {
  for (const auto& each : std::exchange(pool_.decisions(), {})) {
    if (const auto* batch = std::get_if<node_connections::deliver>(&each))
      carry_out(*batch, now);
    else if (const auto* in = std::get_if<node_connections::admit>(&each))
      admit(*in);
    else if (const auto* size = std::get_if<node_connections::resize>(&each))
      owner_.resized(*sessions_.at(size->session), size->window);
    else if (const auto* out = std::get_if<node_connections::dismiss>(&each))
      owner_.dismissed(*sessions_.at(out->session));
    else
      release(std::get<node_connections::release>(each), now);
  }
}

void nodes::carry_out(const node_connections::deliver& what, duration now) {
  parcel_to_node parcel;
  parcel.batch = what.batch;
  if (const auto* sent = std::get_if<libpool::tasks_sent>(&what.batch.content))
    for (auto number : sent->tasks) {
      const auto& task = *tasks_.at(number_of(number)).of;
      parcel.contents.push_back({number, task.from, task.id,
                                 task.accepted.time_since_epoch(),
                                 task.notes().steals});
      parcel.bytes += task.from.bytes;
    }
  books_.bytes += parcel.bytes;
  auto node = node_of_[static_cast<std::size_t>(what.to)];
  all_[node].send(what.to, std::move(parcel), now);
  schedule(node);
}

void nodes::admit(const node_connections::admit& what) {
  auto session = std::make_unique<server>();
  session->id = node_of_[static_cast<std::size_t>(what.by)];
  session->number = what.session;
  session->is_pool = true;
  session->window = session->seats = 0;
  ++books_.sessions;
  owner_.admitted(*session);
  sessions_.emplace(what.session, std::move(session));
}

void nodes::release(const node_connections::release& what, duration now) {
  auto found = tasks_.find(number_of(what.task));
  auto [task, node] = found->second;
  tasks_.erase(found);
  progress_ = now;
  books_.lost += what.how == node_connections::fate::lost ? 1U : 0U;
  books_.given_back += what.how == node_connections::fate::given_back ? 1U : 0U;
  completed_[node] += owner_.released(*task, what.how) ? 1U : 0U;
}

// -- the end ------------------------------------------------------------------

void nodes::close(duration now) {
  for (auto& each : all_)
    each.close(now);
}

std::vector<worker_row> nodes::rows() const {
  std::vector<worker_row> result;
  for (const auto& each : all_)
    result.push_back(each.row());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].completed = completed_[i];
  return result;
}

node_books nodes::books() const {
  auto result = books_;
  result.strays = pool_.strays();
  for (const auto& each : all_) {
    result.batches += each.batches();
    result.result_bytes += each.result_bytes();
  }
  return result;
}

} // namespace poolsim

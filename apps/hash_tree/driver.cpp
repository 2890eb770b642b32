#include "driver.hpp"

#include "chaos.hpp"
#include "hasher.hpp"
#include "libpool/actors/error.hpp"
#include "port/sending.hpp"
#include "recording.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

namespace hash_tree {

namespace {

constexpr std::size_t files_per_worker = 32;
constexpr std::size_t reordered_results = 8192;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

/// Makes workers, which take the tallies in turn: of workers that replace
/// others, two may count in the same one. May be called when the driver is
/// gone, but not when the state is.
std::function<caf::actor()> hasher_factory(caf::actor_system& system,
                                           const caf::actor_addr& listener,
                                           run_state& state) {
  return [&system, listener, &state, next = std::size_t{0}]() mutable {
    auto& tally = state.tallies[next++ % state.tallies.size()];
    return caf::actor_cast<caf::actor>(
      system.spawn<hasher, caf::detached>(listener, state, tally));
  };
}

} // namespace

driver::driver(caf::actor_config& cfg, const pool_policy& policy,
               const job& job, walk& files, sink& out, run_state& state)
  : caf::event_based_actor(cfg),
    policy_(policy),
    workers_(job.workers),
    copies_(policy.workers_per_file(job.workers)),
    paths_(job.paths),
    chaos_(job.chaos),
    files_(files),
    out_(out),
    state_(state) {
  // nop
}

caf::behavior driver::make_behavior() {
  spawn_pool();
  port::send(this, this, caf::tick_atom{});
  return {
    [this](caf::tick_atom) { pump(); },
    [this](finished_atom, std::uint64_t id) {
      worker_finished(id);
      pump();
    },
  };
}

void driver::spawn_pool() {
  auto told = chaos_ ? chaos_options() : libpool::managed_options{};
  if (state_.seen != nullptr)
    told.on_settled = [seen = state_.seen](const auto& x) { seen->settled(x); };
  told.workers = workers_;
  auto policy = policy_.make(told, paths_);
  is_managed_ = policy.managed() != nullptr;
  const auto listener = copies_ > 1 ? address() : caf::actor_addr{};
  pool_ = libpool::actor_pool::make(system(), workers_,
                                    hasher_factory(system(), listener, state_),
                                    std::move(policy));
  if (state_.page != nullptr)
    state_.page->add(pool_, "hash_tree");
  if (chaos_)
    killer_ = system().spawn<killer>(pool_, state_.kills);
}

void driver::pump() {
  emit(); // makes room
  while (has_room()) {
    auto next = next_batch();
    if (!next.files.empty())
      submit(std::move(next));
    emit(); // results that were settled at once
  }
  if (may_end())
    end();
}

bool driver::has_room() const {
  const auto more = policy_.files_per_request(workers_);
  return !state_.stop && !walk_ended_
         && files_in_flight_ + more <= files_per_worker * workers_
         && window_.size() < reordered_results;
}

bool driver::may_end() const {
  return !ended_ && in_flight_.empty() && answers_awaited_ == 0
         && (state_.stop || (walk_ended_ && window_.size() == 0));
}

/// Whether there is a next item.
bool driver::look_ahead() {
  if (ahead_ || walk_ended_)
    return ahead_.has_value();
  if (auto item = files_.next()) {
    const auto size = item->is == found::kind::regular ? size_of(item->path)
                                                       : 0;
    ahead_ = upcoming{{0, std::move(item->path), size}, item->is, item->error};
  } else {
    walk_ended_ = true;
  }
  return ahead_.has_value();
}

batch driver::next_batch() {
  batch out;
  out.id = next_id_++;
  const auto limit = std::min(policy_.files_per_request(workers_),
                              reordered_results - window_.size());
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < limit && look_ahead() && may_join(out, bytes);
       ++i) {
    bytes += ahead_->task.size;
    admit(*std::exchange(ahead_, std::nullopt), out);
  }
  return out;
}

/// Whether the next item may join a batch of that many bytes.
bool driver::may_join(const batch& batch, std::uint64_t bytes) const {
  if (batch.files.empty() || ahead_->is != found::kind::regular)
    return true;
  const auto& next = ahead_->task;
  return bytes <= policy_.bytes_per_request
         && next.size <= policy_.bytes_per_request - bytes
         && policy_.may_share(batch.files.back(), next, paths_);
}

void driver::admit(upcoming item, batch& into) {
  result entry;
  entry.path = item.task.path;
  entry.skipped = item.is == found::kind::special;
  item.task.number = window_.open(std::move(entry));
  if (item.is == found::kind::regular)
    into.files.push_back(std::move(item.task));
  else if (item.is == found::kind::failed)
    settle(item.task.number, text_of(item.error));
  else
    window_.close(item.task.number);
}

void driver::submit(batch batch) {
  const auto id = batch.id;
  const auto first = batch.files.front().number;
  const auto last = batch.files.back().number;
  const auto count = batch.files.size();
  in_flight_[id] = {copies_, count};
  files_in_flight_ += count;
  ++answers_awaited_;
  const auto path = state_.seen != nullptr ? batch.files.front().path : "";
  const auto note = [this, &path](caf::message_id number) {
    if (state_.seen != nullptr)
      state_.seen->requested(number, path);
  };
  port::numbered_request(this, pool_, note, std::move(batch))
    .then(
      [this, id](const outcomes& all) {
        for (const auto& outcome : all.files)
          settle(outcome);
        if (copies_ == 1)
          forget(id); // its worker is through with it
        answered();
      },
      [this, id, first, last](const caf::error& why) {
        for (auto number = first; number <= last; ++number)
          settle(number, libpool::render(why, system()));
        forget(id); // perhaps no worker has it that could say when it ends
        answered();
      });
}

void driver::answered() {
  --answers_awaited_;
  pump();
}

void driver::worker_finished(std::uint64_t id) {
  const auto i = in_flight_.find(id);
  if (i != in_flight_.end() && --i->second.workers == 0)
    forget(id);
}

void driver::forget(std::uint64_t id) {
  const auto i = in_flight_.find(id);
  if (i == in_flight_.end())
    return;
  files_in_flight_ -= i->second.files;
  in_flight_.erase(i);
}

void driver::settle(const outcome& outcome) {
  const bool given_up = state_.stop && outcome.error == ECANCELED;
  if (given_up || !window_.is_open(outcome.number))
    return;
  if (outcome.error != 0) {
    settle(outcome.number, text_of(outcome.error));
    return;
  }
  auto& entry = *window_.find(outcome.number);
  entry.value = outcome.value;
  entry.size = outcome.size;
  window_.close(outcome.number);
}

void driver::settle(std::uint64_t number, std::string error) {
  if (!window_.is_open(number))
    return;
  window_.find(number)->error = std::move(error);
  window_.close(number);
}

void driver::emit() {
  while (auto next = window_.take())
    emit(*next);
}

void driver::emit(const result& result) {
  out_.settled(result);
  state_.files_done.fetch_add(1, std::memory_order_relaxed);
}

void driver::end() {
  ended_ = true;
  while (window_.size() > 0) { // stopped: leave out files that were given up
    window_.drop();
    emit();
  }
  if (killer_)
    anon_send_exit(killer_, caf::exit_reason::user_shutdown);
  if (is_managed_)
    drain();
  else
    quit();
}

/// The answer to the last request may be here before its worker is through: a
/// pool that was drained has settled all.
void driver::drain() {
  auto drained = [this] {
    state_.pool = libpool::actor_pool::stats(pool_);
    state_.pool->members.clear(); // handles, which are not to outlive us
    quit();
  };
  port::request(this, pool_, caf::infinite, caf::sys_atom{},
                libpool::drain_atom{})
    .then(drained, [drained](const caf::error&) { drained(); });
}

void driver::on_exit() {
  anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  pool_ = nullptr;
  killer_ = nullptr;
}

} // namespace hash_tree

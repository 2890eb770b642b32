#include "libpool/actors/managed/staff.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/scheduling.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace libpool {

namespace {

/// Says which actor cannot be tracked, and what to do instead.
std::string why_untrackable(caf::abstract_actor& actor) {
  auto* only = " can only be a worker of a direct pool";
  if (lacks_set_up(actor))
    return name_of(actor)
           + " has a mailbox that does not report to the pool: call "
             "libpool::set_up(config) before the actor system is made";
  if (dynamic_cast<const caf::actor_proxy*>(&actor) == nullptr)
    return name_of(actor) + only;
  return name_of(actor) + " of node " + to_string(actor.node()) + only
         + ": use a policy of direct pools such as round_robin, or spawn a "
           "managed pool on that node and send messages to it";
}

/// A worker as the options want it; one that is a pool has no seats yet.
std::unique_ptr<managed_worker> make_worker(const caf::actor& handle,
                                            const tracked_element::receiver& as,
                                            const managed_setup& options) {
  auto result = std::make_unique<managed_worker>();
  result->handle = handle;
  result->name = short_words_of(*as.actor);
  result->receiver = as;
  result->takes_turns =
    as.scheduled != nullptr
    && !as.actor->getf(caf::abstract_actor::is_detached_flag);
  result->is_pool = as.pool != nullptr;
  if (result->is_pool)
    result->node = as.pool->as_node();
  result->takes_leases = as.goes_on && options.busy_until != busy_until::answer;
  auto blocks = as.actor->getf(caf::abstract_actor::is_blocking_flag);
  result->window = blocks ? 1 : options.window.value_or(1);
  result->seats = blocks ? 1 : options.seats_per_worker;
  if (result->is_pool)
    result->window = result->seats = 0;
  return result;
}

/// Gives the worker the weight that the user wants it to have. Returns an error
/// if the weight is bad.
caf::error set_weight(managed_worker& worker, const managed_setup& options) {
  if (options.weight_of == nullptr)
    return {};
  try {
    worker.weight = call_user("weight_of", options.weight_of, worker.handle);
  } catch (...) {
    return make_error(errc::policy_failed, thrown_text());
  }
  if (worker.weight.count() > 0)
    return {};
  return caf::make_error(caf::sec::invalid_argument,
                         "libpool: weight_of: must be above 0 ns, got "
                           + std::to_string(worker.weight.count()));
}

} // namespace

staff::staff(managed_front& pool, const managed_setup& options,
             dispatcher& dispatcher, pool_clock& clock, gathers& gathers,
             node_book& nodes, const endings& end)
  : pool_(pool),
    options_(options),
    dispatcher_(dispatcher),
    clock_(clock),
    gathers_(gathers),
    nodes_(nodes),
    end_(end),
    room_(pool.serial_number()),
    staffing_({options.most_workers, options.stand_ins, options.restart}),
    sharing_(threads_of(pool.home_system())),
    workers_may_wait_(options.busy_until == busy_until::answer) {
  if (options.autoscale)
    scaler_.emplace(*options.autoscale);
}

staff::~staff() {
  for (auto* each : roster_.all())
    if (auto* pool = each->receiver.pool)
      pool->outer().remove(pool_.address(), each->number);
}

// -- workers that join and leave --------------------------------------------

caf::error staff::join(const caf::actor& worker) {
  if (is_nobody(worker))
    return errc::worker_down;
  auto& actor = actor_behind(worker);
  if (&actor == &pool_)
    return errc::cycle;
  auto as = trackable(actor);
  if (!as)
    return make_error(errc::untrackable_worker, why_untrackable(actor));
  if (is_dead(actor))
    return errc::worker_down;
  if (roster_.serves(actor))
    return {};
  if (keeps_to_nodes_
      && (as->pool == nullptr || as->pool->as_node() == nullptr))
    return invalid_argument("put: the pool serves a durable queue, and began "
                            "to do so without workers "
                            "of its own: only nodes can join it");
  if (roster_.size() >= options_.most_workers) {
    if (as->pool != nullptr && as->pool->as_node() != nullptr)
      stop(worker, {}, nullptr); // the session of the node ends
    return invalid_argument("put: workers must be at most most_workers ("
                            + std::to_string(options_.most_workers) + "), got "
                            + std::to_string(roster_.size() + 1));
  }
  auto made = make_worker(worker, *as, options_);
  if (auto why = set_weight(*made, options_))
    return why;
  add(std::move(made));
  return {};
}

void staff::add(std::unique_ptr<managed_worker> worker) {
  auto& added = roster_.add(std::move(worker));
  auto& actor = *added.receiver.actor;
  workers_may_wait_ = workers_may_wait_ || may_wait(actor);
  if (auto* pool = added.receiver.pool) {
    pool->outer().add(pool_.address(), added.number); // from now on it reports
    auto room = pool->room();
    roster_.resizes(added, room.seats);
    added.window = added.seats = room.seats;
    added.has_nobody = room.seats == 0 && !room.expects_change;
    room_.pool_joined();
  }
  if (added.node != nullptr)
    for (auto& [where, only] : nodes_.joins(added.number, *added.node))
      dispatcher_.changed(*where, std::move(only));
  dispatcher_.joined(added, clock_.now());
  if (added.node != nullptr && paused_nodes_.count(added.node->node_name()) > 0)
    pause(added, true, nullptr);
  watch(actor, pool_, added.number);
}

void staff::remove(const caf::actor* worker,
                   const std::shared_ptr<pending_answer>& done) {
  for (auto* each : roster_.serving())
    if (worker == nullptr || *worker == each->handle) {
      retire(*each, false, done);
      staffing_.removed(count_workers());
    }
}

caf::error staff::objection_to_size(std::uint64_t n) const {
  if (!end_.accepts())
    return errc::pool_closed;
  const auto most = options_.most_workers;
  if (n == 0)
    return invalid_argument("resize: workers must be at least 1, got 0");
  if (n > most)
    return invalid_argument("resize: workers must be at most most_workers ("
                            + std::to_string(most) + "), got "
                            + std::to_string(n));
  if (const auto& rule = options_.autoscale;
      rule && (n < rule->least || n > rule->most))
    return invalid_argument(
      "resize: workers must be from " + std::to_string(rule->least) + " to "
      + std::to_string(rule->most) + ", the bounds of autoscale, got "
      + std::to_string(n));
  if (!spawning_.has_factory())
    return invalid_argument(
      "resize: the pool has no factory that could make workers");
  return {};
}

caf::error staff::resize(std::uint64_t n,
                         const std::shared_ptr<pending_answer>& done) {
  if (auto why = objection_to_size(n))
    return why;
  staffing_.resized(static_cast<std::size_t>(n));
  for (auto* each : in_order_of_retirement()) {
    if (staffing_.surplus(count_workers()) == 0)
      break;
    retire(*each, true, each->hanging > 0 ? nullptr : done);
  }
  keep_staffed();
  return {};
}

void staff::retire(managed_worker& worker, bool stops,
                   const std::shared_ptr<pending_answer>& done) {
  worker.stops = stops;
  worker.is_taken_out = done != nullptr;
  departed_.removed += stops || worker.is_taken_out ? 1U : 0U;
  roster_.take_out(worker);
  if (done != nullptr) {
    ++done->missing;
    worker.waiting.push_back(done);
  }
  dispatcher_.retired(worker, clock_.now());
  gathers_.give_up_on(worker);
}

void staff::dismiss(managed_worker& worker, execution_context* host) {
  if (roster_.serves(worker)) {
    roster_.presume_dead(worker);
    gathers_.give_up_on(worker);
  } else if (!worker.is_presumed_dead) {
    forget(worker, host);
  }
}

void staff::forget(managed_worker& worker, execution_context* host) {
  auto owner = roster_.remove(worker);
  for (auto& [where, only] : nodes_.left(worker.number))
    dispatcher_.changed(*where, std::move(only));
  while (!worker.asked.empty()) { // tasks of a pool that has ended
    worker.asked.front().asked_of = nullptr;
    worker.asked.pop_front();
  }
  unwatch(*worker.receiver.actor, pool_, worker.number);
  if (worker.is_pool)
    worker.receiver.pool->outer().remove(pool_.address(), worker.number);
  if (worker.stops)
    stop(worker.handle, caf::exit_reason::user_shutdown, host);
  for (auto& each : worker.waiting)
    if (--each->missing == 0 && each->give != nullptr)
      each->give(errc{}, host);
}

/// A worker that is a pool has another room. A pool that contains this one has
/// no seats but the seats of this one: it gets one message at a time, which
/// comes back and is refused. That stays so, also if the worker then reports a
/// change of its own: otherwise two pools that contain each other would report
/// to each other for ever.
void staff::room_changed(worker_number number, const room_report& report,
                         execution_context* host) {
  auto* worker = roster_.find(number);
  if (worker == nullptr)
    return;
  auto is_own = room_.is_own(report);
  worker->contains_this = worker->contains_this || is_own;
  auto seats = is_own ? 1
               : worker->contains_this
                 ? std::min<std::size_t>(report.room.seats, 1)
                 : report.room.seats;
  auto has_nobody = seats == 0 && !report.room.expects_change;
  roster_.resizes(*worker, seats);
  dispatcher_.resized(*worker, seats, has_nobody, clock_.now());
  dispatcher_.roomy(*worker, clock_.now());
  if (is_own)
    return;
  if (auto told = room_.inner_changed(room_now(), report))
    pool_.outer().tell(*told, host);
}

void staff::stop(const caf::actor& worker, const caf::error& reason,
                 execution_context* host) {
  auto why = reason ? reason : caf::error{caf::exit_reason::user_shutdown};
  send_exit(worker,
            caf::make_message(caf::exit_msg{pool_.address(), std::move(why)}),
            host);
}

bool staff::has_died(managed_worker& worker) {
  return roster_.died(worker);
}

void staff::has_left(managed_worker& worker, bool served,
                     const caf::error& reason, execution_context* host) {
  auto is_node = worker.node != nullptr;
  gathers_.give_up_on(worker);
  if (worker.is_presumed_dead)
    forget(worker, host);
  if (!served)
    return;
  ++(spawning::is_crash(reason) ? departed_.crashed : departed_.ended);
  note_end(is_node ? caf::error{} : reason);
}

void staff::judge(managed_worker& worker, errc why) {
  using std::chrono::milliseconds;
  constexpr auto for_a_while = milliseconds{10};
  if (is_closed(worker.receiver))
    return dispatcher_.left(worker, clock_.now()); // before its death is told
  switch (why) {
    case errc::not_needed:
    case errc::unreadable:
    case errc::too_large:
    case errc::not_serializable:
    case errc::not_connected:
    case errc::policy_failed:
      return;
    case errc::queue_full:
    case errc::flow_full:
    case errc::no_workers:
      return dispatcher_.rested(worker, never,
                                clock_.now()); // until it has room
    default:
      break;
  }
  if (why == errc{} && worker.receiver.pool != nullptr)
    dispatcher_.rested(worker, later(clock_.look(), for_a_while), clock_.now());
  else if (roster_.serves(worker)) { // has ended, or handles nothing it gets
    ++departed_.ended;
    retire(worker, false, nullptr);
    staffing_.ended(count_workers());
  }
}

void staff::let_others_run(managed_worker& worker,
                           const tracked_element& ended) {
  auto* lease = ended.lease();
  auto tasks = lease != nullptr ? lease->size() : 1;
  auto since = lease != nullptr ? lease->since() : ended.started_at();
  if (!sharing_.has_to_pause(worker, roster_.size(), tasks,
                             ended.ended_at() - since, clock_))
    return;
  dispatcher_.paused(worker, clock_.now());
  auto goes_on = [this, number = worker.number](execution_context*) {
    if (auto* paused = roster_.find(number))
      dispatcher_.resumed(*paused, clock_.now());
  };
  auto later = [self = caf::strong_actor_ptr{pool_.ctrl()}, this, goes_on](
                 execution_context* host) { pool_.tell(goes_on, host); };
  call_later(pool_.home_system(), later);
}

// -- the number of workers ---------------------------------------------------

void staff::populate(std::size_t n, const spawning::factory& make_worker) {
  if (n > options_.most_workers)
    throw std::invalid_argument(
      "libpool: managed_options: workers must be at most most_workers ("
      + std::to_string(options_.most_workers) + "), got " + std::to_string(n));
  if (scaler_)
    n = std::clamp(n, scaler_->rule().least, scaler_->rule().most);
  spawning_.begin(make_worker);
  staffing_.begin();
  try {
    for (std::size_t i = 0; i < n; ++i) {
      staffing_.added();
      admit(spawning_.make());
    }
  } catch (...) {
    staffing_.resized(roster_.size());
    throw;
  }
}

/// Adds a worker that the factory has made.
void staff::admit(const caf::actor& worker) {
  if (is_nobody(worker))
    throw std::invalid_argument(
      "libpool: the factory returned an invalid handle");
  if (roster_.serves(actor_behind(worker)))
    throw std::invalid_argument("libpool: actor_pool::make: the factory "
                                "returned "
                                + name_of(actor_behind(worker)) + " twice");
  auto result = join(worker);
  if (result && result != errc::worker_down)
    throw std::invalid_argument("libpool: the factory returned a worker that "
                                "cannot be added: "
                                + words_of(result, pool_.home_system()));
  if (result)
    note_end(fail_state_of(actor_behind(worker))); // before it was watched
}

bool staff::keep_to_nodes() {
  auto serving = roster_.serving();
  keeps_to_nodes_ = entrance() != nullptr && !spawning_.has_factory()
                    && std::all_of(serving.begin(), serving.end(),
                                   [](const managed_worker* each) {
                                     return each->node != nullptr;
                                   });
  return keeps_to_nodes_;
}

caf::error staff::put(const caf::actor& worker) {
  auto before = roster_.size();
  auto result = join(worker);
  if (roster_.size() > before)
    staffing_.added();
  return result;
}

/// Notes that a worker has ended, which may have to be replaced.
void staff::note_end(const caf::error& reason) {
  if (spawning::is_crash(reason))
    staffing_.crashed(count_workers(), clock_.look());
  else
    staffing_.ended(count_workers());
}

/// Lets the factory make a worker, without a caller that waits for it. Returns
/// whether the worker serves.
bool staff::try_spawn() {
  auto before = roster_.size();
  try {
    auto begun = clock_.look();
    admit(spawning_.make_named());
    if (scaler_)
      scaler_->starts_in(clock_.look() - begun);
    spawning_.succeeded();
  } catch (...) {
    spawning_.failed(thrown_text());
    if (scaler_)
      makes_again_ = later(clock_.look(), scaler_->rule().interval);
    staffing_.crashed(count_workers(), clock_.look());
  }
  return roster_.size() > before;
}

/// Counts the workers, those that have gone on as those that wait in vain.
headcount staff::last_count() const noexcept {
  return {roster_.size(), roster_.presumed_dead(),
          dispatcher_.workers().hanging() + in_vain_.size()};
}

/// Counts the workers. A worker that waits for its own pool in vain, and has
/// got a stand-in, is stuck until it goes on.
headcount staff::count_workers() {
  auto goes_on = [this](worker_number number) {
    auto* worker = roster_.find(number);
    return worker == nullptr || !worker->waits || worker->hanging > 0
           || !roster_.serves(*worker);
  };
  in_vain_.erase(std::remove_if(in_vain_.begin(), in_vain_.end(), goes_on),
                 in_vain_.end());
  auto result = last_count();
  if (staffing_.surplus(result) > 0) { // some may have quit, and be alive still
    auto serving = std::min(roster_.serving().size(), result.serving);
    result.unreported += result.serving - serving;
    result.serving = serving;
  }
  return result;
}

/// The load of the pool. All tasks that wait count, see `waiting_for_workers`.
pool_load staff::load() const {
  const auto& books = dispatcher_.books();
  const auto& record = dispatcher_.record();
  pool_load result;
  result.arrived = books.accepted + books.refused - record.joined;
  result.ended = record.all.completed + record.all.failed;
  result.busy_time = record.all.busy;
  result.waits = &record.waits;
  result.waiting = dispatcher_.unsent_runs();
  result.workers = roster_.size();
  result.slots = roster_.seats();
  result.busy = dispatcher_.workers().busy();
  result.has_room = dispatcher_.workers().with_room() > 0;
  result.is_paused = dispatcher_.workers().is_suspended();
  result.drains = end_.drains();
  return result;
}

/// Returns the number of tasks that a further worker could begin; 1 if there
/// are some and `counts` is false. Limits, pauses, retries and restrictions
/// hold back others.
std::uint64_t staff::waiting_for_workers(bool counts, instant now) const {
  const auto& books = dispatcher_.books();
  const auto& gates = dispatcher_.gates();
  if (books.waiting + books.assigned == 0
      || (gates.is_on() && !gates.pool_is_open(now)))
    return 0;
  const auto* next = dispatcher_.next_waiting(now);
  auto may_go = next != nullptr
                && (!gates.is_on() || gates.is_open(*next, now));
  if (!dispatcher_.needs().is_eager && !may_go)
    return 0;
  if (!counts)
    return 1;
  auto held = dispatcher_.held() + dispatcher_.retries().delayed()
              + gates.held_back(now);
  auto waiting = dispatcher_.unsent_runs();
  return waiting - std::min(waiting, std::uint64_t{held});
}

/// Chooses the number of wanted workers, if the options say so.
void staff::scale() {
  if (!scaler_ || end_.has_ended())
    return;
  const auto now = clock_.now();
  auto before = wanted();
  auto current = load();
  auto counts = scaler_->is_due(now) || before == 0;
  if (counts || !current.has_room) {
    current.waiting = waiting_for_workers(counts, now);
    if (const auto* next = dispatcher_.next_waiting(now))
      current.oldest = next->accepted;
  }
  scaled_ = scaler_->decide(current, before, now);
  if (scaled_ != before && spawning_.has_factory())
    staffing_.resized(scaled_);
}

void staff::keep_staffed() {
  scale();
  auto is_settled = in_vain_.empty() && staffing_.is_settled(last_count());
  if (is_settled || !staffing_.compare(count_workers()))
    return;
  auto time = spawning_.pauses() ? instant::min() : clock_.look();
  auto change = staffing_.decide(count_workers(), time);
  for (std::size_t i = 0; i < change.made; ++i)
    if (try_spawn() && i < change.replacements)
      ++restarts_;
  retire_idle(change.retired);
  staffing_.compare(count_workers()); // the figures of what was done
  if (staffing_.next() > time || !spawning_.pause())
    return;
  auto try_again = [address = pool_.address(), this](execution_context* host) {
    if (auto self = reach(address))
      pool_.tell([this](execution_context*) { spawning_.go_on(); }, host);
  };
  call_later(pool_.home_system(), try_again);
}

/// Returns the serving workers in the order in which they are retired: workers
/// that hang, then workers that have hung, the newest first.
std::vector<managed_worker*> staff::in_order_of_retirement() const {
  auto result = roster_.serving();
  auto key = [](const managed_worker& worker) {
    return std::tuple{worker.hanging > 0, worker.overran, worker.number};
  };
  std::sort(result.begin(), result.end(),
            [&](auto* x, auto* y) { return key(*x) > key(*y); });
  return result;
}

/// Retires workers that have no tasks.
void staff::retire_idle(std::size_t most) {
  if (most == 0 || dispatcher_.workers().busy() >= roster_.size())
    return;
  for (auto* each : in_order_of_retirement()) {
    if (each->in_flight > 0)
      continue;
    retire(*each, true, nullptr);
    if (--most == 0)
      return;
  }
}

/// Makes a stand-in for a worker that waits for its own pool in vain, if the
/// options permit one. Returns whether the factory was asked.
bool staff::gets_stand_in() {
  auto count = count_workers();
  ++count.stuck;
  if (staffing_.missing(count) == 0)
    return false;
  auto waits_alone = [this](const managed_worker* each) {
    return each->waits && each->hanging == 0
           && std::find(in_vain_.begin(), in_vain_.end(), each->number)
                == in_vain_.end();
  };
  const auto workers = roster_.serving();
  auto i = std::find_if(workers.begin(), workers.end(), waits_alone);
  if (i == workers.end())
    return false;
  in_vain_.push_back((*i)->number);
  keep_staffed();
  return true;
}

bool staff::breaks_cycle() {
  if (staffing_.is_pending() || roster_.presumed_dead() > 0)
    return false;
  auto* task = dispatcher_.waits().in_cycle();
  if (task == nullptr)
    return false;
  if (dispatcher_.waits().could_go_to_new_worker(*task) && gets_stand_in())
    return true;
  dispatcher_.failed(*task, errc::cycle, clock_.now());
  return true;
}

managed_worker*
staff::find_asking_worker(const caf::mailbox_element& element) const {
  if (!element.mid.is_request() || element.sender == nullptr)
    return nullptr;
  const auto& client = client_behind(element.sender);
  return client != nullptr && may_wait(*client->get())
           ? roster_.find_present(*client->get())
           : nullptr;
}

void staff::stop_all(const caf::error& reason, execution_context* host) {
  for (auto* each : roster_.all())
    stop(each->handle, reason, host);
}

void staff::end() noexcept {
  spawning_.end();
  staffing_.end();
}

// -- pauses ------------------------------------------------------------------

bool is_meant(const pause_scope& scope, const managed_worker& worker) {
  return scope.node.empty()
           ? worker.handle == scope.worker
           : worker.node != nullptr && worker.node->node_name() == scope.node;
}

std::vector<managed_worker*> staff::workers_of(const pause_scope& scope) const {
  auto result = roster_.serving();
  auto is_other = [&](auto* each) { return !is_meant(scope, *each); };
  result.erase(std::remove_if(result.begin(), result.end(), is_other),
               result.end());
  return result;
}

bool staff::knows(const pause_scope& scope) const {
  return paused_nodes_.count(scope.node) > 0 || !workers_of(scope).empty();
}

void staff::pause(const pause_scope& scope, bool is, execution_context* host) {
  if (!is)
    paused_nodes_.erase(scope.node);
  else if (!scope.node.empty())
    paused_nodes_.insert(scope.node);
  for (auto* each : workers_of(scope))
    pause(*each, is, host);
}

void staff::pause(managed_worker& worker, bool is, execution_context* host) {
  if (is)
    dispatcher_.suspended(worker, clock_.now());
  else
    dispatcher_.reinstated(worker, clock_.now());
  if (worker.node != nullptr)
    worker.receiver.pool->paused(is, host);
}

void staff::end_pauses(execution_context* host) {
  paused_nodes_.clear();
  for (auto* each : roster_.serving())
    if (each->node != nullptr)
      each->receiver.pool->paused(false, host);
}

} // namespace libpool

#include "world.hpp"

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/handles.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

namespace products {

namespace {

std::size_t depths_of(shape what) {
  switch (what) {
    case shape::plain:
    case shape::managed_in_direct:
    case shape::direct_in_managed:
    case shape::stage:
      return 1;
    case shape::three_deep:
    case shape::pipelines_in_pools:
      return 3;
    default:
      return 2;
  }
}

bool lives(const caf::actor_addr& each) {
  auto who = caf::actor_cast<caf::actor>(each);
  return who && !libpool::is_dead(libpool::actor_behind(who));
}

/// How many workers the pool has; 0 if it has ended.
std::size_t serving(const caf::actor_addr& pool) {
  return lives(pool)
           ? libpool::actor_pool::stats(caf::actor_cast<caf::actor>(pool))
               .workers
           : 0;
}

} // namespace

world::world(const scenario& how, std::uint64_t seed)
  : how_(how),
    draw_(seed),
    crank_(seed),
    staff_(crank_.system(), how.kind, records_),
    clients_(test::probes(crank_, 3)),
    manager_(crank_),
    running_at_first_(crank_.running() - 1), // without the workers' helper
    depths_(depths_of(how.shape)),
    places_(draw_()) {
  crank_.leave_check_to_test();
  records_->throws_again = chance(2);
  records_->has_strange = !how_.strange.empty();
  front_ = make_front();
  records_->has_no_more_workers = how_.loses_factory;
  run();
}

std::size_t world::below(std::size_t n) {
  return std::uniform_int_distribution<std::size_t>{0, n - 1}(draw_);
}

bool world::chance(std::size_t one_in) {
  return below(one_in) == 0;
}

// -- living -------------------------------------------------------------------

void world::live() {
  constexpr std::size_t count = 30;
  std::vector<std::size_t> when;
  for (std::size_t i = 0; i < how_.events.size(); ++i)
    when.push_back(3 + below(count - 6));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < when.size(); ++j)
      if (when[j] == i)
        how_.events[j](*this);
    if (!how_.strange.empty() && chance(6))
      send_strange(how_.strange[below(how_.strange.size())]);
    else
      send_work();
    for (auto n = below(5); n > 0; --n)
      step();
    if (chance(4))
      crank_.pass(1ms + 1ms * static_cast<int>(below(2) * below(8)));
    most_alarms_ = std::max(most_alarms_, alarms());
  }
}

void world::send_work() {
  message_record what;
  if (!how_.handlers.empty() && chance(2))
    what.does = how_.handlers[below(how_.handlers.size())];
  what.is_request = !chance(4);
  auto is_urgent = how_.is_urgent && chance(3);
  cargo content;
  content.number = static_cast<int>(records_->messages.size());
  send(what, is_urgent, content);
}

/// What is not for workers to understand, or for nobody.
void world::send_strange(strangeness kind) {
  message_record what;
  what.is_work = false;
  what.is_request = true;
  switch (kind) {
    case strangeness::unknown:
      return send(what, false, 7, 7);
    case strangeness::unknown_atoms:
      return send(what, false, caf::atom("a"), caf::atom("b"));
    case strangeness::down_message:
      return send(what, false, caf::down_msg{manager_.handle().address(), {}});
    case strangeness::get:
      return send(what, false, caf::sys_atom{}, caf::get_atom{});
    case strangeness::delete_all:
      if (how_.shape != shape::stage)
        excuse();
      return send(what, false, caf::sys_atom{}, caf::delete_atom{});
    case strangeness::forged_response:
      if (front_)
        caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
          caf::make_mailbox_element(
            clients_[0].pointer(),
            caf::make_message_id(1'000'000'000).response_id(), {}, 1),
          nullptr);
  }
}

template <class... Ts>
void world::send(message_record what, bool is_urgent, Ts&&... xs) {
  what.client = below(clients_.size());
  if (!front_ || !client_lives(what.client))
    return;
  what.request = records_->messages.size() + 1;
  auto number = what.is_request ? what.request : 0;
  auto id = is_urgent
              ? caf::make_message_id<caf::message_priority::high>(number)
              : caf::make_message_id(number);
  auto& client = clients_[what.client];
  records_->messages.push_back(std::move(what));
  caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
    caf::make_mailbox_element(client.pointer(), id, {},
                              std::forward<Ts>(xs)...),
    nullptr);
}

void world::wait() {
  run();
  for (auto time : {1ms, 10ms, 10ms, 50ms, 100ms, 1000ms, 10'000ms, 100'000ms})
    for (auto i = 0; i < 5; ++i)
      advance(time);
}

void world::settle() {
  staff_.open();
  run();
  for (auto i = 0; i < 60; ++i) {
    staff_.keep_promises();
    add_where_missing();
    advance(1ms);
  }
  wait();
  staff_.keep_promises();
  run();
}

/// Pools that wait for workers get one.
void world::add_where_missing() {
  for (const auto& each : pools_) {
    auto pool = caf::actor_cast<caf::actor>(each->address);
    if (!pool || !each->waits_when_empty)
      continue;
    auto stats = libpool::actor_pool::stats(pool);
    if (stats.workers == 0 && stats.tasks.open() > 0)
      if (!records_->has_no_more_workers)
        tell(pool, caf::sys_atom{}, caf::put_atom{}, staff_.hire());
  }
}

void world::end() {
  auto stop = [](const caf::actor& who) {
    if (who)
      caf::anon_send_exit(who, caf::exit_reason::user_shutdown);
  };
  records_->has_no_more_workers = true;
  if (chance(2))
    for (const auto& each : staff_.all()) {
      stop(caf::actor_cast<caf::actor>(each));
      run();
    }
  stop(front_);
  run();
  for (const auto& each : kept_)
    stop(each);
  run();
  for (const auto& each : staff_.all())
    stop(caf::actor_cast<caf::actor>(each));
  run();
}

void world::abandon() {
  front_ = nullptr;
  kept_.clear();
  staff_.dismiss();
  for (auto& each : clients_)
    each->inbox.clear();
  manager_->inbox.clear();
  if (!how_.ends_with_system)
    run();
}

std::vector<std::string> world::left_over() {
  std::vector<std::string> result;
  let_threads_end();
  if (auto n = crank_.running(); n != running_at_first_)
    result.push_back("actors that still run: "
                     + std::to_string(n - running_at_first_));
  auto count = [&](const char* name, const std::vector<caf::actor_addr>& all) {
    auto left = std::count_if(all.begin(), all.end(), [](const auto& each) {
      return caf::actor_cast<caf::strong_actor_ptr>(each) != nullptr;
    });
    if (left > 0)
      result.push_back(std::string{name}
                       + " that are referred to: " + std::to_string(left));
  };
  std::vector<caf::actor_addr> managed;
  for (const auto& each : pools_)
    managed.push_back(each->address);
  count("workers", staff_.all());
  count("managed pools", managed);
  count("other pools and pipelines", others_);
  return result;
}

// -- for events ---------------------------------------------------------------

caf::actor world::some_worker() {
  std::vector<caf::actor> alive;
  for (const auto& each : staff_.all())
    if (auto who = caf::actor_cast<caf::actor>(each))
      if (!libpool::is_dead(libpool::actor_behind(who)))
        alive.push_back(who);
  if (alive.empty())
    return nullptr;
  return chance(2) ? alive.front() : alive[below(alive.size())];
}

caf::actor world::some_pool() {
  std::vector<caf::actor> alive;
  for (const auto& each : pools_)
    if (auto who = caf::actor_cast<caf::actor>(each->address))
      if (!libpool::is_dead(libpool::actor_behind(who)))
        alive.push_back(who);
  return alive.empty() ? nullptr : alive[below(alive.size())];
}

caf::actor world::some_inner_pool() {
  std::vector<caf::actor> alive;
  for (const auto& each : pools_)
    if (auto who = caf::actor_cast<caf::actor>(each->address))
      if (each->is_inner && !libpool::is_dead(libpool::actor_behind(who)))
        alive.push_back(who);
  return alive.empty() ? nullptr : alive[below(alive.size())];
}

caf::actor world::member_of(const caf::actor& pool) {
  auto members = libpool::actor_pool::stats(pool).members;
  if (members.empty())
    return nullptr;
  return chance(2) ? members.front().worker
                   : members[below(members.size())].worker;
}

void world::kill_client() {
  auto who = below(clients_.size());
  if (dead_clients_.insert(who).second)
    clients_[who].die();
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
  // direct pools do not give another pool what one has not begun
  auto needs_all = how_.shape == shape::managed_in_direct;
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

// -- cranking -----------------------------------------------------------------

bool world::step() {
  if (steps_left_ == 0)
    return false;
  --steps_left_;
  auto others_first = chance(2);
  return others_first ? staff_.step(draw_()) || crank_.step()
                      : crank_.step() || staff_.step(draw_());
}

void world::run() {
  while (step()) {
    // step did it
  }
}

std::size_t world::alarms() {
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(
    crank_.system().scheduler());
  return scheduler.clock().schedule().size();
}

void world::advance(std::chrono::nanoseconds time) {
  crank_.pass(time);
  run();
}

/// Threads let go of their actors some time after these have ended.
void world::let_threads_end() {
  if (!how_.has_threads())
    return;
  auto is_gone = [](const caf::actor_addr& each) {
    return caf::actor_cast<caf::strong_actor_ptr>(each) == nullptr;
  };
  auto end = std::chrono::steady_clock::now() + 2s;
  while (std::chrono::steady_clock::now() < end
         && !std::all_of(staff_.all().begin(), staff_.all().end(), is_gone))
    std::this_thread::yield();
}

} // namespace products

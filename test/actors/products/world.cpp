#include "world.hpp"

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "support/patience.hpp"

using namespace std::chrono_literals;

namespace products {

namespace {

std::size_t depths_of(shape form) {
  if (form == shape::three_deep || form == shape::pipelines_in_pools)
    return 3;
  return form == shape::managed_in_managed || form == shape::circle
             || form == shape::pipelines_in_pool
             || form == shape::shared_pipeline || form == shape::distributed
           ? 2
           : 1;
}

} // namespace

world::world(const scenario& how, std::uint64_t seed)
  : how_(how),
    draw_(seed),
    crank_(seed),
    workers_(crank_.system(), how.kind, records_),
    clients_(test::probes(crank_, 3)),
    manager_(crank_),
    running_at_first_(crank_.running() - 1), // without the workers' helper
    first_depth_(how.is_durable ? 1 : 0),
    depths_(first_depth_ + depths_of(how.shape)),
    places_(draw_()),
    slots_of_nodes_(1 + seed / 2 % 2),
    looks_at_pools_(seed % 2 == 0) {
  crank_.leave_check_to_test();
  records_->throws_again = chance(2);
  records_->has_strange = !how_.strange.empty();
  if (how_.is_flood)
    records_->pass_time = [this] { crank_.pass(1us); };
  if (!how_.has_threads())
    records_->run_others = [this] { run_others(); };
  records_->make_nested = [this](std::size_t worker, int message) {
    return nested_requests(worker, message);
  };
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
  // A pipeline refuses what is beyond its credit.
  auto at_once = how_.is_flood && how_.shape != shape::stage ? 6 : 1;
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
      for (auto n = at_once; n > 0; --n)
        send_work();
    for (auto n = below(5); n > 0; --n)
      step();
    if (chance(4))
      crank_.pass(1ms + 1ms * static_cast<int>(below(2) * below(8)));
    seen_.most_alarms = std::max(seen_.most_alarms, crank_.alarms());
    if (how_.is_durable)
      disturb_queue();
    if (looks_at_pools_) // the look makes pools carry out pending work
      look_at_pools();
  }
}

message_record world::drawn_work() {
  message_record result;
  if (!how_.handlers.empty() && chance(2))
    result.does = how_.handlers[below(how_.handlers.size())];
  return result;
}

void world::send_work() {
  auto message = drawn_work();
  message.is_request = !chance(4);
  if (how_.is_flood && (how_.has_deadline || how_.retries)) // goes in leases
    message.is_request = !message.is_request;
  auto is_urgent = how_.is_urgent && chance(3);
  cargo content;
  content.number = static_cast<int>(records_->messages.size());
  send(message, is_urgent, content);
}

/// The handler of the message asks the pool of the worker once or twice.
std::vector<nested_request> world::nested_requests(std::size_t worker,
                                                   int message) {
  constexpr std::size_t most_depth = 3;
  constexpr std::size_t most = 60;
  // CAF 0.17 keeps an urgent answer that comes while the worker awaits another
  // one, until the worker gets a further message.
  auto is_urgent = how_.is_urgent && !how_.handle_by(handling::awaits);
  auto& all = records_->messages;
  auto& asker = all[static_cast<std::size_t>(message)];
  asker.asked.emplace_back();
  std::vector<nested_request> result;
  if (asker.depth == most_depth)
    return result;
  for (auto n = chance(4) ? 2 : 1; n > 0 && nested_ < most; --n, ++nested_) {
    auto nested = drawn_work();
    nested.is_request = true;
    nested.asker = worker;
    nested.depth = asker.depth + 1;
    cargo content;
    content.number = static_cast<int>(all.size());
    asker.asked.back().push_back(content.number);
    result.push_back({home_of(worker).address, content, is_urgent && chance(3),
                      how_.asks_through_gate && chance(2)});
    all.push_back(std::move(nested));
  }
  return result;
}

/// Sends a message that is not for workers to understand, or for no actor.
void world::send_strange(strangeness kind) {
  message_record message;
  message.is_work = false;
  message.is_request = true;
  switch (kind) {
    case strangeness::unknown:
      return send(message, false, 7, 7);
    case strangeness::unknown_atoms:
      return send(message, false, test::strange_atom{}, test::strange_atom{});
    case strangeness::down_message:
      return send(message, false,
                  caf::down_msg{manager_.handle().address(), {}});
    case strangeness::get:
      return send(message, false, caf::sys_atom{}, caf::get_atom{});
    case strangeness::delete_all:
      if (how_.deletes_by_message())
        excuse();
      return send(message, false, caf::sys_atom{}, caf::delete_atom{});
    case strangeness::forged_response:
      if (front_)
        caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
          libpool::make_element(
            clients_[0].pointer(),
            caf::make_message_id(1'000'000'000).response_id(), 1),
          nullptr);
  }
}

template <class... Ts>
void world::send(message_record message, bool is_urgent, Ts&&... xs) {
  message.client = below(clients_.size());
  if (!front_ || !client_lives(message.client))
    return;
  message.request = records_->messages.size() + 1;
  auto number = message.is_request ? message.request : 0;
  auto id = is_urgent
              ? caf::make_message_id<caf::message_priority::high>(number)
              : caf::make_message_id(number);
  auto& client = clients_[message.client];
  records_->messages.push_back(std::move(message));
  caf::actor_cast<caf::abstract_actor*>(front_)->enqueue(
    libpool::make_element(client.pointer(), id, std::forward<Ts>(xs)...),
    nullptr);
}

/// A pool that is looked at may ask its factory, which makes further pools.
void world::look_at_pools() {
  for (const auto& each : std::vector{pools_})
    if (lives(each->address))
      look_at(*each);
}

void world::look_at(pool_record& record) {
  auto stats =
    libpool::actor_pool::stats(caf::actor_cast<caf::actor>(record.address));
  const auto& now = stats.tasks;
  auto before = std::exchange(record.books, now);
  auto given = now.sent + now.running;
  if (record.window && given > *record.window * stats.members.size())
    seen_.window_was_exceeded = true;
  if (stats.workers > record.most_workers)
    seen_.size_was_exceeded = true;
  if (now.accepted < before.accepted || now.refused < before.refused
      || now.completed < before.completed || now.failed < before.failed
      || now.cancelled < before.cancelled)
    seen_.counters_fell = true;
}

/// A handler is stuck: others run meanwhile, and some of them get stuck, too.
void world::run_others() {
  constexpr auto most_stuck = 3;
  if (stuck_ == most_stuck)
    return;
  ++stuck_;
  for (auto n = below(40); n > 0; --n)
    step();
  crank_.pass(2ms);
  for (auto n = below(40); n > 0; --n)
    step();
  --stuck_;
}

/// Interrupts or restores the line of the client, or makes the next front.
void world::disturb_queue() {
  if (chance(8))
    queue_.set_line(!queue_.line_is_up());
  if (chance(3) && queue_.queue.fronts == 0 && !records_->has_no_more_workers)
    serve_queue();
}

void world::wait() {
  if (how_.is_durable)
    queue_.set_line(true);
  run();
  for (auto time :
       {1ms, 10ms, 10ms, 50ms, 100ms, 1000ms, 10'000ms, longest_step})
    for (auto i = 0; i < 5; ++i)
      advance(time);
}

void world::settle() {
  resume();
  workers_.open();
  run();
  // Each message of a flood may cost a worker, and each retry takes time.
  auto is_slow = how_.shape == shape::distributed && !how_.loses_factory
                 && (how_.is_flood || how_.more_retries > 0);
  auto rounds = (how_.is_flood ? 240 : 60) * (is_slow ? 5 : 1);
  for (auto i = rounds; i > 0; --i) {
    workers_.keep_promises();
    add_where_missing();
    advance(is_slow ? 50ms : 1ms);
  }
  wait();
  workers_.keep_promises();
  run();
}

/// Pools that wait for workers get one, also those whose workers are pools
/// without workers. Messages of a durable queue wait for workers, too.
void world::add_where_missing() {
  for (const auto& each : std::vector{pools_}) { // factories add to it
    auto is_alone = lives(each->address) && slots(each->address) == 0;
    auto waits = each->waits_when_empty
                 || (how_.is_durable && each->depth == first_depth_);
    if (!waits || !is_alone || records_->has_no_more_workers)
      continue;
    auto pool = caf::actor_cast<caf::actor>(each->address);
    if (how_.shape == shape::distributed && each->depth == first_depth_)
      add_node(pool);
    else
      put_worker(pool, each);
  }
}

void world::end() {
  steps_left_ = most_steps; // factories that fail may use them all up
  auto stop = [](const auto& each) {
    if (auto actor = caf::actor_cast<caf::actor>(each))
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  };
  records_->has_no_more_workers = true;
  if (chance(2))
    for (const auto& each : workers_.all()) {
      stop(each);
      run();
    }
  stop(front_);
  run();
  for (const auto& each : kept_)
    stop(each);
  run();
  for (const auto& each : nodes_)
    stop(each);
  run();
  for (auto i = nodes_.empty() ? 0 : 5; i > 0; --i)
    advance(longest_step); // the pool loses them
  for (const auto& each : workers_.all())
    stop(each);
  run();
  // A worker that was retired has lost what it had promised. The item holds its
  // pipeline, also one that was taken out of its pool, until a user ends it.
  if (how_.scales_workers && how_.handle_by(handling::promises))
    for (const auto& each : lines_)
      stop(each);
  // A user adds workers to pools that wait for workers, or ends these pools. An
  // outermost pool to which nothing refers is left alone.
  for (const auto& each : std::vector{pools_})
    if (each->is_inner && each->waits_when_empty)
      stop(each->address);
  if (queue_.open() > 0) // else a client could wait for ever for results
    stop(submitter_);
  run();
  let_factories_give_up();
}

/// Pools with waiting messages try to replace workers until they have used up
/// their restarts. The longest pause before a restart is 5 ms. A pool that
/// `loses_factory` never uses them up.
void world::let_factories_give_up() {
  const auto restarts = how_.loses_factory ? 10 : 1000;
  auto is_left = [](const auto& each) { return lives(each->address); };
  for (auto i = 0;
       i < restarts && std::any_of(pools_.begin(), pools_.end(), is_left); ++i)
    advance(5ms);
}

void world::abandon() {
  steps_left_ = most_steps;
  records_->has_no_more_workers = true;
  records_->pass_time = records_->run_others = nullptr;
  records_->make_nested = nullptr;
  front_ = nullptr;
  kept_.clear();
  workers_.dismiss();
  auto forget = [](const test::probe& worker) {
    // The destruction of a message may send answers.
    while (!worker->inbox.empty())
      static_cast<void>(std::exchange(worker->inbox, {}));
  };
  for (const auto& each : clients_)
    forget(each);
  forget(manager_);
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
    auto gone = std::count_if(all.begin(), all.end(),
                              test::hand_cranked::is_gone);
    if (auto left = static_cast<std::ptrdiff_t>(all.size()) - gone; left > 0)
      result.push_back(std::string{name}
                       + " that are referred to: " + std::to_string(left));
  };
  std::vector<caf::actor_addr> managed;
  for (const auto& each : pools_)
    managed.push_back(each->address);
  count("workers", workers_.all());
  count("managed pools", managed);
  count("other pools and pipelines", others_);
  return result;
}

// -- cranking -----------------------------------------------------------------

bool world::step() {
  if (steps_left_ == 0)
    return false;
  --steps_left_;
  auto step_queue = [this] {
    return how_.is_durable
           && queue_.step(draw_(), crank_.system().clock().now());
  };
  if (how_.is_durable && chance(2) && step_queue())
    return true;
  auto others_first = chance(2);
  return (others_first ? workers_.step(draw_()) || crank_.step()
                       : crank_.step() || workers_.step(draw_()))
         || step_queue();
}

/// Runs until nothing is left to do; a pool that asks its factory in vain again
/// and again gets so many turns.
void world::run() {
  constexpr std::size_t many = 100;
  auto left = how_.loses_factory ? many : steps_left_;
  while (left > 0 && step())
    --left;
}

void world::advance(std::chrono::nanoseconds time) {
  if (how_.is_durable && queue_.queue.fronts == 0
      && !records_->has_no_more_workers)
    serve_queue();
  crank_.pass(time);
  run();
}

/// Threads let go of their actors some time after these have ended.
void world::let_threads_end() {
  if (!how_.has_threads())
    return;
  test::comes_true([&] {
    return std::all_of(workers_.all().begin(), workers_.all().end(),
                       test::hand_cranked::is_gone);
  });
}

} // namespace products

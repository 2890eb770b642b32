/// How the pools of a scenario are composed.

#include "libpool/actors/distributed.hpp"
#include "world.hpp"

namespace products {

namespace {

using results = std::vector<int>;

void append(results& to, caf::message& result) {
  if (result.match_elements<int>())
    to.push_back(result.get_as<int>(0));
}

/// Three parts, if it is work.
libpool::message_parts in_parts(caf::message& message) {
  if (!message.match_elements<cargo>())
    return {message};
  libpool::message_parts result;
  for (auto part = 0; part < 3; ++part) {
    auto each = message.get_as<cargo>(0);
    each.part = part;
    result.push_back(caf::make_message(std::move(each)));
  }
  return result;
}

/// The same, but for messages that it cannot split.
libpool::message_parts in_parts_or_not(caf::message& message) {
  auto number =
    message.match_elements<cargo>() ? message.get_as<cargo>(0).number : 0;
  if (number % 5 == 0)
    throw std::runtime_error{"no parts"};
  if (number % 5 == 1)
    return {};
  return in_parts(message);
}

bool has_wrong_times(const libpool::settled_task& task) {
  auto has_begun = task.started != libpool::never;
  if (task.how == libpool::outcome::refused)
    return has_begun;
  return task.settled < task.accepted
         || (has_begun
             && (task.started < task.accepted || task.settled < task.started));
}

/// The whole message for each worker, but for messages that it cannot split.
void split(libpool::worker_tasks& tasks, caf::message& message) {
  if (message.match_elements<cargo>()
      && message.get_as<cargo>(0).number % 5 == 4)
    throw std::runtime_error{"cannot be split"};
  for (auto& each : tasks)
    each.second = message;
}

libpool::policy split_join() {
  return libpool::actor_pool::split_join<results>(append, split);
}

} // namespace

caf::actor world::make_front() {
  if (!how_.is_durable)
    return make_pools();
  serve_queue();
  auto record = std::make_shared<pool_record>();
  auto policy = policy_at(0, record);
  record->watches = true;
  auto result = add_managed(
    libpool::actor_pool::make(crank_.system(), std::move(policy)), record);
  libpool::detail::submission_terms terms;
  terms.most_open = 1 + below(20);
  terms.patience = std::chrono::hours{1};
  libpool::detail::submit_to_queue(result, terms, queue_.queue.for_client());
  queue_.set_line(true);
  submitter_ =
    libpool::actor_pool::stats(result).members.at(0).worker.address();
  return result;
}

/// Makes pools that take messages from the durable queue.
void world::serve_queue() {
  kept_.push_back(make_pools());
  libpool::detail::serve_queue(kept_.back(), {how_.retries ? 1U : 0U},
                               queue_.queue.for_front());
}

caf::actor world::make_pools() {
  using libpool::actor_pool;
  auto round_robin = [] { return actor_pool::round_robin(); };
  auto add = [this, told = records_] { // also when the world is gone
    require_workers(*told);
    return workers_.add();
  };
  auto pool_at = [this, told = records_, add](std::size_t depth,
                                              std::size_t n) {
    return [=] {
      require_workers(*told);
      return make_managed(depth, n, add);
    };
  };
  switch (how_.shape) {
    case shape::plain:
      return make_managed(0, 3, add);
    case shape::managed_in_managed:
      return make_managed(0, 2, pool_at(1, 2));
    case shape::managed_in_direct:
      return make_direct(pool_at(0, 2), round_robin());
    case shape::direct_in_managed:
      return make_managed(0, 2,
                          [=] { return make_direct(add, round_robin()); });
    case shape::three_deep:
      return make_managed(0, 2,
                          [=] { return make_managed(1, 1, pool_at(2, 2)); });
    case shape::circle:
      return make_circle();
    case shape::stage: {
      kept_.push_back(make_managed(0, 3, add));
      return add_line(libpool::spawn_pipeline(
        crank_.system(),
        libpool::pool_stage("work", kept_.back(), {std::size_t{64}})));
    }
    case shape::pipelines_in_pool:
      return make_managed(0, 2, [=] { return make_line(1, 64); });
    case shape::pipelines_in_pools:
      return make_managed(0, 2, [=] {
        return make_managed(1, 1, [=] { return make_line(2, 64); });
      });
    case shape::shared_pipeline: {
      auto line = std::make_shared<caf::actor>(make_line(1, 2));
      auto shared = [this, told = records_, line] {
        if (!lives(line->address())) { // a restart needs one that lives
          require_workers(*told);
          *line = make_line(1, 2);
        }
        return *line;
      };
      return make_direct([=] { return make_managed(0, 1, shared); },
                         round_robin());
    }
    case shape::distributed:
      return make_distributed();
    case shape::split_join_in_managed:
      return make_managed(0, 2, [=] { return make_direct(add, split_join()); });
  }
  return nullptr;
}

caf::actor world::add_worker(const std::shared_ptr<pool_record>& home) {
  auto result = workers_.add();
  homes_.push_back(home);
  return result;
}

/// Two pools that contain each other, and workers.
caf::actor world::make_circle() {
  auto add = [this] { return workers_.add(); };
  auto pools_first = chance(2);
  std::size_t n = pools_first ? 0 : 2;
  auto first = make_managed(0, n, add);
  auto second = make_managed(1, n, add);
  auto put = [this](const caf::actor& to, const caf::actor& actor) {
    tell(to, caf::sys_atom{}, caf::put_atom{}, actor);
  };
  put(first, second);
  put(second, first);
  for (std::size_t i = 0; pools_first && i < 4; ++i)
    put(i % 2 == 0 ? first : second, add_worker(pools_.at(i % 2)));
  return first;
}

caf::actor world::make_direct(const std::function<caf::actor()>& factory,
                              libpool::policy how) {
  auto result = libpool::actor_pool::make(crank_.system(), 2, factory,
                                          std::move(how));
  others_.push_back(result.address());
  return result;
}

caf::actor world::make_managed(std::size_t depth, std::size_t n,
                               const std::function<caf::actor()>& factory) {
  auto record = std::make_shared<pool_record>();
  auto policy = policy_at(first_depth_ + depth, record);
  record->is_in_line = how_.shape == shape::stage;
  record->is_inner = depth > 0 || how_.shape == shape::managed_in_direct
                     || how_.shape == shape::shared_pipeline;
  auto add = [this, factory, record] { // also when the world is gone
    auto result = factory();
    homes_.resize(workers_.all().size(), record); // no inner pool has them
    return result;
  };
  record->wanted = n;
  return add_managed(
    libpool::actor_pool::make(crank_.system(), n, add, std::move(policy)),
    std::move(record));
}

caf::actor world::add_managed(caf::actor pool,
                              std::shared_ptr<pool_record> record) {
  record->address = pool.address();
  if (how_.is_recorded) {
    libpool::actor_pool::record(pool, {std::chrono::hours{1}});
    record->is_recorded = true;
  }
  pools_.push_back(std::move(record));
  return pool;
}

/// A pipeline with a managed pool of its own.
caf::actor world::make_line(std::size_t depth, std::size_t credit) {
  auto record = std::make_shared<pool_record>();
  record->is_in_line = true;
  pools_.push_back(record);
  auto add = [this, record] { return add_worker(record); };
  return add_line(libpool::spawn_pipeline(
    crank_.system(),
    libpool::pool_stage("work", 2, add, policy_at(first_depth_ + depth, record),
                        {credit})));
}

caf::actor world::add_line(caf::actor line) {
  others_.push_back(line.address());
  lines_.push_back(line.address());
  return line;
}

/// Whether a feature takes part in the pools at that depth: in some of them.
bool world::takes_part(std::size_t feature, std::size_t depth) const {
  if (depths_ == 1)
    return true;
  auto drawn = (places_ >> (4 * feature)) & 0xF;
  auto places = 1 + drawn % ((std::uint64_t{1} << depths_) - 1);
  return (places >> depth & 1) != 0;
}

libpool::policy world::policy_at(std::size_t depth,
                                 const std::shared_ptr<pool_record>& record,
                                 const libpool::managed_options& given) {
  constexpr std::size_t of_policy = 0;
  constexpr std::size_t of_gather = 1;
  constexpr std::size_t of_options = 2;
  libpool::managed_setup options;
  static_cast<libpool::managed_options&>(options) = given;
  options.on_settled =
    [record, asks = how_.asks_itself,
     next = given.on_settled](const libpool::settled_task& task) {
      if (task.number > 0)
        ++record->settled[task.number];
      ++record->ends[task.how];
      record->wrong_times += has_wrong_times(task) ? 1U : 0U;
      if (auto self = asks ? caf::actor_cast<caf::actor>(record->address)
                           : caf::actor{})
        libpool::actor_pool::summary(self);
      if (next != nullptr)
        next(task);
    };
  auto gathers_at = (places_ >> (4 * of_gather)) % depths_;
  auto gathers = how_.gather != gather::none && gathers_at == depth;
  auto recipe = libpool::managed_policy_named("shared_queue");
  auto set = [&](const option& each) {
    auto gather_chooses = gathers && how_.gather_chooses();
    if (each.set != nullptr && each.has_effect(recipe, gather_chooses))
      each.set(options);
  };
  if (takes_part(of_policy, depth)) {
    recipe = how_.recipe;
    set(how_.policy_needs);
  }
  for (std::size_t i = 0; i < how_.options.size(); ++i)
    if (takes_part(of_options + i, depth))
      set(how_.options[i]);
  if (how_.shape == shape::distributed && depth > first_depth_)
    options.when_empty = libpool::when_empty::end; // nobody could add a worker
  record->policy = recipe.name;
  record->depth = depth;
  record->retries = std::holds_alternative<libpool::retry>(options.on_crash);
  record->watches = gathers || options.deadline
                    || options.deadline_of != nullptr || options.time_limit
                    || record->retries || options.retry_on != nullptr
                    || options.batch
                    || options.busy_until == libpool::busy_until::answer
                    || options.same_as.key_of != nullptr;
  record->notices_waits = how_.kind == worker_kind::blocking
                          || options.busy_until == libpool::busy_until::answer
                          || options.same_as.key_of != nullptr;
  record->tells = options.on_settled != nullptr;
  auto has_workers = depth + 1 == depths_ && how_.shape != shape::circle
                     && how_.shape != shape::direct_in_managed
                     && how_.shape != shape::split_join_in_managed;
  if (has_workers && recipe.order.name() != "fair_queuing"
      && options.same_as.key_of == nullptr)
    record->window =
      (how_.kind == worker_kind::blocking ? 1 : options.window.value_or(1))
      * (options.batch ? options.batch->most : 1);
  record->has_deadline = options.deadline && *options.deadline < far_deadline;
  record->most_workers = options.most_workers;
  record->waits_when_empty = options.when_empty == libpool::when_empty::wait;
  const libpool::managed_options& told = options;
  const libpool::message_functions& asked = options;
  auto result = libpool::actor_pool::managed(recipe, told, asked);
  return gathers ? gathering(result) : result;
}

libpool::policy world::gathering(const libpool::policy& over) const {
  using libpool::actor_pool;
  switch (how_.gather) {
    case gather::split_join:
      return actor_pool::managed_split_join<results>(append, in_parts, {}, {},
                                                     over);
    case gather::failing_split:
      return actor_pool::managed_split_join<results>(append, in_parts_or_not,
                                                     {}, {}, over);
    case gather::broadcast_all:
      return actor_pool::broadcast_all<results>(append, {}, {}, over);
    case gather::first_success:
      return actor_pool::first_success(2, over);
    case gather::quorum:
      return actor_pool::quorum(3, 2, over);
    case gather::hedged:
      return actor_pool::hedged(std::chrono::milliseconds{3}, 100, over);
    case gather::none:
      return over;
  }
  return over;
}

} // namespace products

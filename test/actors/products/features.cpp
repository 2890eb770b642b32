/// The features of pools, of workers and of clients, and the events of
/// scenarios.

#include "scenario.hpp"
#include "support/port/ways.hpp"
#include "world.hpp"

using namespace std::chrono_literals;

namespace products {

namespace {

using options = libpool::managed_setup;
using content = libpool::message_content;
using setting = std::function<void(options&)>;
using flags = std::vector<bool scenario::*>;

int number_in(const content& message) {
  return message.match_elements<cargo>() ? message.get_as<cargo>(0).number : 0;
}

void set_for_policy(options& o, const std::string& name) {
  if (name == "priority")
    o.priority_of = [](const content& message) {
      return number_in(message) % 3;
    };
  if (name == "fair_queuing") {
    o.flow_of = [](const content& message) {
      return libpool::flow_key{
        std::to_string(number_in(message) % number_of_flows)};
    };
    o.width_of = [](const content& message) {
      return static_cast<std::size_t>(1 + number_in(message) % 2);
    };
  }
  if (name == "consistent_hash")
    o.key_of = [](const content& message) {
      return std::optional<std::uint64_t>{number_in(message) % number_of_keys};
    };
}

// -- kinds of features --------------------------------------------------------

void raise(scenario& s, const flags& all) {
  for (auto flag : all)
    s.*flag = true;
}

feature policy(const libpool::recipe& entry) {
  auto name = std::string{entry.name};
  return {name, "policy", [=, how = entry](scenario& s) {
            s.recipe = how;
            s.policy_needs.set = [name](options& o) {
              set_for_policy(o, name);
            };
            s.policy_needs.chooses = name == "consistent_hash";
          }};
}

/// One of several values of a setting.
template <class T>
feature one_of(const char* slot, T scenario::*of, const char* name, T value) {
  return {name, slot, [=](scenario& s) { s.*of = value; }};
}

/// One more in a list.
template <class T>
feature one_more(std::vector<T> scenario::*list, const char* name, T value) {
  return {name, "", [=](scenario& s) { (s.*list).push_back(value); }};
}

feature sets(std::string name, const option& of_pools, const flags& also = {},
             std::string slot = {}) {
  return {std::move(name), std::move(slot), [=](scenario& s) {
            s.options.push_back(of_pools);
            raise(s, also);
          }};
}

feature happens(std::string name, const event& happening,
                const flags& also = {}) {
  return {std::move(name), "", [=](scenario& s) {
            s.events.push_back(happening);
            raise(s, also);
          }};
}

// -- events -------------------------------------------------------------------

void exit(const caf::actor& actor, caf::error why) {
  if (actor)
    caf::anon_send(actor, caf::exit_msg{actor.address(), std::move(why)});
}

event worker_exits(const caf::error& why) {
  return [why](world& w) { exit(w.some_worker(), why); };
}

void kill_worker(world& w) {
  if (auto worker = w.some_worker())
    caf::anon_send<caf::message_priority::high>(
      worker, caf::exit_msg{worker.address(), caf::exit_reason::kill});
}

event pool_exits(const caf::error& why) {
  return [why](world& w) {
    w.excuse();
    exit(w.outer_pool_to_end(), why);
  };
}

event inner_pool_exits(const caf::error& why) {
  return [why](world& w) { exit(w.inner_pool_to_end(), why); };
}

void delete_worker(world& w) {
  w.excuse_if_last();
  auto pool = w.some_pool();
  if (w.how().is_durable && pool == w.front())
    w.excuse();
  if (pool)
    w.remove(pool, w.member_of(pool));
}

void put_worker(world& w) {
  w.put_worker();
}

void delete_all(world& w) {
  w.excuse();
  w.tell(w.some_pool(), caf::sys_atom{}, caf::delete_atom{});
}

event resize(std::size_t n) {
  return [n](world& w) { w.resize(w.some_pool(), n); };
}

void drain(world& w) {
  w.excuse();
  w.tell(w.outer_pool_to_end(), caf::sys_atom{}, libpool::drain_atom{});
}

void await_idle(world& w) {
  w.await_idle(w.some_pool());
}

void drain_inner(world& w) {
  w.tell(w.inner_pool_to_end(), caf::sys_atom{}, libpool::drain_atom{});
}

/// Another one asks while the pool works.
void scrape(world& w) {
  if (auto pool = w.some_pool()) {
    libpool::actor_pool::summary(pool);
    libpool::actor_pool::recorded(pool);
  }
}

/// Cancels messages of a pool, maybe of an inner one.
event cancels(const libpool::selection& which) {
  return [which](world& w) {
    w.excuse();
    if (auto pool = w.some_pool(w.chance(2)))
      w.tell(pool, caf::sys_atom{}, libpool::cancel_atom{}, which);
  };
}

/// A client cancels its messages through a handle that only submits.
void cancel_own(world& w) {
  w.excuse();
  if (auto pool = w.some_pool())
    w.tell(libpool::actor_pool::submit_only(pool), caf::sys_atom{},
           libpool::cancel_atom{}, libpool::selection::of_all());
}

/// Pauses a pool, maybe an inner one, its workers or its flows, and resumes
/// what was paused before.
event pauses(const std::function<libpool::pause_scope(world&)>& which) {
  return [which](world& w) {
    w.excuse();
    if (w.chance(2))
      w.resume();
    w.pause(w.some_pool(w.chance(2)), which(w));
  };
}

void change_limits(world& w) {
  w.excuse();
  if (auto pool = w.some_pool(w.chance(2))) {
    libpool::throttles within;
    within.of_each_flow.most_running = w.below(3);
    w.limit(pool, within);
  }
}

/// Changes the values of a policy, if it uses them.
void change_values(world& w) {
  auto pool = w.some_pool(w.chance(2));
  if (pool == nullptr)
    return;
  libpool::policy_values values;
  if (auto worker = w.member_of(pool))
    values.weights.emplace_back(worker, 1ns * (1 + w.below(5)));
  w.change_values(pool, values);
  values.weights.clear();
  values.age_step = 1ms * (1 + w.below(5));
  w.change_values(pool, values);
  values.age_step.reset();
  values.shares = {{"0", 1.0 + static_cast<double>(w.below(5))}};
  w.change_values(pool, values);
}

void pause_node(world& w) {
  w.excuse();
  w.pause(w.front(),
          libpool::pause_scope::of_node("node" + std::to_string(w.below(2))));
}

void node_leaves(world& w) {
  w.tell(w.some_node(), caf::sys_atom{}, libpool::drain_atom{});
}

void node_dies(world& w) {
  w.excuse(); // the pool cannot know what the node has begun
  exit(w.some_node(), caf::exit_reason::kill);
}

void add_events(std::vector<feature>& to) {
  using reason = caf::exit_reason;
  const auto shrinks = &scenario::shrinks_otherwise;
  const flags takes{&scenario::takes_workers};
  const flags takes_all{&scenario::takes_workers, shrinks};
  const flags ends_pool{&scenario::ends_workers, shrinks};
  const flags crashes{&scenario::takes_workers, &scenario::ends_workers};
  const flags ends{&scenario::takes_workers, &scenario::ends_workers, shrinks};
  const flags takes_node{&scenario::ends_nodes, &scenario::takes_workers};
  const flags ends_node{&scenario::ends_nodes, &scenario::takes_workers,
                        &scenario::ends_workers};
  const flags drops{&scenario::drops_front, &scenario::ends_workers, shrinks};
  for (const auto& each : {
         happens("kill", kill_worker, crashes),
         happens("exit_normal", worker_exits(reason::normal), ends),
         happens("exit_shutdown", worker_exits(reason::user_shutdown), ends),
         happens("exit_kill", worker_exits(reason::kill), crashes),
         happens("exit_unhandled", worker_exits(test::crash_reason), crashes),
         happens("exit_error", worker_exits(caf::sec::runtime_error), crashes),
         happens("delete_worker", delete_worker, takes),
         happens("delete_all", delete_all, takes_all),
         happens("put_worker", put_worker),
         happens("resize_up", resize(4)),
         happens("resize_down", resize(1), takes),
         happens("drain", drain, ends_pool),
         happens("await_idle", await_idle),
         happens("drain_inner", drain_inner, ends),
         happens(
           "last_handle", [](world& w) { w.drop_front(); }, drops),
         happens("pool_normal", pool_exits(reason::normal), ends_pool),
         happens("pool_shutdown", pool_exits(reason::user_shutdown), ends_pool),
         happens("pool_kill", pool_exits(reason::kill), ends_pool),
         happens("inner_shutdown", inner_pool_exits(reason::user_shutdown),
                 ends),
         happens("inner_kill", inner_pool_exits(reason::kill), ends),
         happens("scrape", scrape),
         happens("cancel_all", cancels(libpool::selection::of_all())),
         happens("cancel_ids", cancels(libpool::selection::of_id("1"))),
         happens("cancel_own", cancel_own),
         happens("pause_pool", pauses([](world&) {
                   return libpool::pause_scope::of_pool();
                 })),
         happens("pause_flow", pauses([](world& w) {
                   auto flow = std::to_string(w.below(number_of_flows));
                   return libpool::pause_scope::of_flow(flow);
                 }),
                 {&scenario::holds_flows}),
         happens("pause_worker", pauses([](world& w) {
                   libpool::pause_scope result;
                   if (auto pool = w.some_pool())
                     result.worker = w.member_of(pool);
                   return result;
                 })),
         happens("change_limits", change_limits, {&scenario::holds_flows}),
         happens("change_values", change_values),
         happens("pause_node", pause_node, {&scenario::ends_nodes}),
         happens("node_leaves", node_leaves, takes_node),
         happens("node_dies", node_dies, ends_node),
         happens("client_dies", [](world& w) { w.kill_client(); }),
       })
    to.push_back(each);
}

// -- options ------------------------------------------------------------------

option chooses(const setting& set, bool binds = false) {
  return {set, true, binds, false};
}

option first_worker(bool loose) {
  return chooses([=](options& o) {
    o.may_run_on = [=](const content& message) {
      libpool::worker_choice result;
      result.workers.push_back(0);
      result.loose = loose;
      return number_in(message) % 2 == 0
               ? std::optional<libpool::worker_choice>{std::move(result)}
               : std::nullopt;
    };
  });
}

void set_home(options& o) {
  o.home_of = [](const content& message) {
    return std::optional<std::size_t>{number_in(message) % 3};
  };
}

setting capacity_of(std::size_t n, libpool::overflow how) {
  return [=](options& o) {
    o.capacity = n;
    o.on_overflow = how;
  };
}

setting restarts(std::size_t max, libpool::duration pause,
                 libpool::duration longest_pause) {
  return [=](options& o) {
    o.restart.max = max;
    o.restart.pause = pause;
    o.restart.longest_pause = longest_pause;
  };
}

void set_nothing_measured(options& o) {
  o.measure_times = false;
  o.autoscale = std::nullopt;
  o.shed = std::nullopt;
  o.slow_after = std::nullopt;
  o.on_slow = nullptr;
}

void set_slow(options& o) {
  if (!o.measure_times)
    return;
  o.slow_after = 1ns;
  o.on_slow = [](const libpool::slow_task& task) { describe(task); };
}

/// From `least` to four workers, which change often.
setting autoscaled(std::size_t least) {
  return [=](options& o) {
    if (o.measure_times)
      o.autoscale = libpool::autoscale{least, 4, 1ms, 5ms, 1ms};
  };
}

/// The policy of the catalogue, which drops tasks after 4 ms.
feature sheds(const char* name, const char* policy_name) {
  auto with_policy = policy(libpool::managed_policy_named(policy_name));
  return {name, "policy", [=](scenario& s) {
            with_policy.alter(s);
            s.options.push_back({[](options& o) {
              if (o.measure_times)
                o.shed = libpool::shed{2ms, 3ms, {}};
            }});
            s.has_deadline = true;
          }};
}

void set_traced(options& o) {
  o.trace_of = [](const content& message) {
    return std::to_string(number_in(message));
  };
}

void set_ids(options& o) {
  o.id_of = [](const content& message) {
    return libpool::flow_key{number_in(message) % 3};
  };
}

/// Messages of a key share runs.
setting joins(libpool::join_mode mode) {
  return [=](options& o) {
    o.same_as.key_of =
      [](const content& message) -> std::optional<std::string> {
      if (!message.match_elements<cargo>())
        return std::nullopt;
      return std::to_string(number_in(message) % number_of_keys);
    };
    o.same_as.mode = mode;
  };
}

void set_throttled_by(options& o) {
  if (o.flow_of == nullptr)
    o.throttled_by = [](const content& message) {
      return libpool::flow_key{
        std::to_string(number_in(message) % number_of_flows)};
    };
}

void set_capped(options& o) {
  set_throttled_by(o);
  o.throttles.of_each_flow.most_running = 1;
  o.throttles.of_all.most_running = 3;
}

void set_rated(options& o) {
  set_throttled_by(o);
  o.throttles.of_all.most_begun = libpool::rate{3000, 2};
  o.throttles.of_flows["1"].most_begun = libpool::rate{2000, 1};
}

/// An option with which pools give leases.
option leases(const std::function<void(options&)>& set) {
  return {set, false, false, false, true};
}

/// Deadlines, and limits on the times of handlers.
void add_times(std::vector<feature>& to) {
  const auto intercepts = &scenario::intercepts_replies;
  for (const auto& each : {
         sets("deadline", {[](options& o) { o.deadline = 20ms; }},
              {&scenario::has_deadline, intercepts}, "deadline"),
         sets("own_deadlines", {[](options& o) {
                o.deadline_of = [](const content& message) {
                  return std::optional<libpool::duration>{
                    (1 + number_in(message) % 30) * 1ms};
                };
              }},
              {&scenario::has_deadline, intercepts}, "deadline"),
         sets("far_deadline", {[](options& o) { o.deadline = far_deadline; }},
              {intercepts}, "deadline"),
         sets("drop_hopeless", {[](options& o) {
                o.deadline = 20ms;
                o.drop_hopeless = true;
              }},
              {&scenario::has_deadline, intercepts}, "deadline"),
         sets("time_limit", {[](options& o) { o.time_limit = 15ms; }},
              {&scenario::has_deadline, intercepts}),
         sets("stand_ins", {[](options& o) {
                o.time_limit = 15ms;
                o.stand_ins = 2;
              }},
              {&scenario::has_deadline, intercepts, &scenario::takes_workers}),
       })
    to.push_back(each);
}

void add_options(std::vector<feature>& to) {
  using libpool::overflow;
  const auto intercepts = &scenario::intercepts_replies;
  auto set_window = [](options& o) { o.window = 4; };
  using libpool::join_mode;
  const flags shares{intercepts, &scenario::is_busy_until_answer,
                     &scenario::joins};
  const flags scales{&scenario::takes_workers, &scenario::shrinks_otherwise,
                     &scenario::scales_workers};
  // So many short tasks wait that workers get leases.
  auto set_leased = [](options& o) { o.width_of = nullptr; };
  for (const auto& each : {
         sets("retry", {[](options& o) { o.on_crash = libpool::retry{1}; }},
              {&scenario::retries, intercepts}),
         sets("busy_until_answer",
              {[](options& o) { o.busy_until = libpool::busy_until::answer; }},
              {intercepts, &scenario::is_busy_until_answer}),
         sets("restricted", first_worker(false), {&scenario::is_restricted}),
         sets("wished", first_worker(true)),
         sets("home", chooses(set_home, true)),
         sets("capacity", {capacity_of(4, overflow::refuse)},
              {&scenario::has_capacity}),
         sets("roomy", {capacity_of(40, overflow::refuse)},
              {&scenario::has_capacity}),
         sets("drop_oldest", {capacity_of(4, overflow::drop_oldest)},
              {&scenario::has_capacity}),
         sets("window", {set_window, false, false, true}),
         sets("leased", leases(set_leased), {&scenario::is_flood}),
         sets("poison", {[](options& o) { o.poison_after = 2; }}),
         sets("waits_when_empty",
              {[](options& o) { o.when_empty = libpool::when_empty::wait; }}),
         sets("restarts", {restarts(1000, 1ms, 5ms)},
              {&scenario::restarts_workers}),
         sets("autoscaled", {autoscaled(1)}, scales),
         sets("scaled_to_none", {autoscaled(0)}, scales,
              "gather"), // which needs workers
         sets("join_waiting", {joins(join_mode::join_waiting)}, shares,
              "gather"), // which refuses it
         sets("join_running", {joins(join_mode::join_running)}, shares,
              "gather"),
         sets("latest", {joins(join_mode::latest)}, shares, "gather"),
         sets("most_workers", {[](options& o) { o.most_workers = 4; }}),
         sets("failing_factory", {restarts(1'000'000'000, 0ns, 0ns)},
              {&scenario::loses_factory}),
         sets("unmeasured", {set_nothing_measured}),
         sets("untold", leases([](options& o) { o.on_settled = nullptr; })),
         sets("traced", leases(set_traced)),
         sets("identified", leases(set_ids)),
         sets("slow", leases(set_slow)),
         sets("flows_known", {set_throttled_by}),
         sets("capped", {set_capped}, {&scenario::holds_flows}),
         sets("rated", {set_rated, false, false, false, false, true},
              {&scenario::holds_flows}),
       })
    to.push_back(each);
}

/// Pools that retry tasks `more` times more often than once.
feature retries_more(const char* name, unsigned more, const setting& set,
                     const flags& also = {}) {
  return {name, "", [=](scenario& s) {
            s.options.push_back({set});
            s.more_retries += more;
            raise(s, {&scenario::retries, &scenario::intercepts_replies});
            raise(s, also);
          }};
}

/// Pools whose workers get up to four messages together, which run in halves
/// after a crash.
feature batches() {
  return {"batches", "gather", [](scenario& s) {
            s.options.push_back({[](options& o) {
              o.batch = libpool::batch_of<cargo, int>({4, 2ms});
            }});
            s.more_retries += 2;
            raise(s, {&scenario::is_batched, &scenario::intercepts_replies});
          }};
}

void add_retries(std::vector<feature>& to) {
  to.push_back(retries_more("retry_errors", 3, [](options& o) {
    o.retry_on = [](const caf::error&, unsigned) { return 0ns; };
  }));
  to.push_back(retries_more("retry_budget", 3,
                            [](options& o) {
                              o.retry_on = [](const caf::error&, unsigned) {
                                return 0ns;
                              };
                              o.retry_budget = libpool::retry_budget{0.1, 1};
                            },
                            {&scenario::has_budget}));
  to.push_back(retries_more("retry_after", 3, [](options& o) {
    o.retry_on = [](const caf::error&, unsigned attempt) {
      return attempt % 2 == 0 ? std::nullopt : std::optional{2ms};
    };
  }));
  to.push_back(retries_more("backs_off", 1, [](options& o) {
    o.on_crash = libpool::retry{2};
    o.backoff = libpool::retry_backoff{1ms, 2, 4ms, 2};
  }));
}

void add_handlers(std::vector<feature>& to) {
  for (auto [name, how] : {std::pair{"error", handling::answers_with_error},
                           {"throw", handling::throws},
                           {"quit", handling::quits},
                           {"quit_failing", handling::quits_failing},
                           {"skip", handling::skips},
                           {"never_look", handling::never_looks},
                           {"await", handling::awaits},
                           {"promise", handling::promises},
                           {"drop", handling::drops},
                           {"delegate", handling::delegates},
                           {"stuck", handling::gets_stuck},
                           {"looks_at_task", handling::looks_at_task},
                           {"ask_own_pool", handling::asks_own_pool}})
    to.push_back(one_more(&scenario::handlers, name, how));
}

std::vector<feature> make_features() {
  std::vector<feature> all;
  for (const auto& each : libpool::managed_policies())
    all.push_back(policy(each));
  all.push_back(sheds("shed", "shared_queue"));
  all.push_back(sheds("shed_flows", "fair_queuing"));
  for (auto [name, how] : {std::pair{"split_join", gather::split_join},
                           {"failing_split", gather::failing_split},
                           {"broadcast_all", gather::broadcast_all},
                           {"first_success", gather::first_success},
                           {"quorum", gather::quorum},
                           {"hedged", gather::hedged}})
    all.push_back(one_of("gather", &scenario::gather, name, how));
  for (auto [name, form] :
       {std::pair{"managed_in_managed", shape::managed_in_managed},
        {"managed_in_direct", shape::managed_in_direct},
        {"direct_in_managed", shape::direct_in_managed},
        {"three_deep", shape::three_deep},
        {"circle", shape::circle},
        {"stage", shape::stage},
        {"pipelines_in_pool", shape::pipelines_in_pool},
        {"pipelines_in_pools", shape::pipelines_in_pools},
        {"shared_pipeline", shape::shared_pipeline},
        {"split_join_in_managed", shape::split_join_in_managed},
        {"distributed", shape::distributed}})
    all.push_back(one_of("shape", &scenario::shape, name, form));
  for (auto [name, kind] : {std::pair{"function", worker_kind::function},
                            {"stateful", worker_kind::stateful},
                            {"typed", worker_kind::typed},
                            {"companion", worker_kind::companion},
                            {"deaf_companion", worker_kind::deaf_companion},
                            {"detached", worker_kind::detached},
                            {"blocking", worker_kind::blocking}})
    if (test::companions_are_tracked || !is_companion(kind))
      all.push_back(one_of("worker", &scenario::kind, name, kind));
  add_handlers(all);
  for (auto [name, flag] : {std::pair{"urgent", &scenario::is_urgent},
                            {"recorded", &scenario::is_recorded},
                            {"durable", &scenario::is_durable},
                            {"asks_itself", &scenario::asks_itself}})
    all.push_back(one_of("", flag, name, true));
  for (auto [name, kind] : {std::pair{"unknown", strangeness::unknown},
                            {"unknown_atoms", strangeness::unknown_atoms},
                            {"forged_response", strangeness::forged_response},
                            {"down_message", strangeness::down_message},
                            {"get", strangeness::get},
                            {"delete_item", strangeness::delete_all}})
    all.push_back(one_more(&scenario::strange, name, kind));
  add_times(all);
  add_options(all);
  add_retries(all);
  all.push_back(batches());
  add_events(all);
  all.push_back(one_of("", &scenario::ends_with_system, "system_ends", true));
  return all;
}

} // namespace

const std::vector<feature>& features() {
  static const auto all = make_features();
  return all;
}

const feature& feature_named(std::string_view name) {
  for (const auto& each : features())
    if (each.name == name)
      return each;
  throw std::invalid_argument("no feature '" + std::string{name} + "'");
}

} // namespace products

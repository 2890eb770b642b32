/// The features of pools, of workers and of clients, and the events of
/// scenarios.

#include "scenario.hpp"
#include "support/port/ways.hpp"
#include "world.hpp"

#include "libpool/actors/atoms.hpp"

#include <caf/all.hpp>

#include <stdexcept>
#include <utility>

using namespace std::chrono_literals;

namespace products {

namespace {

using alteration = std::function<void(scenario&)>;
using options = libpool::managed_setup;
using content = libpool::message_content;

int number_in(const content& message) {
  return message.match_elements<cargo>() ? message.get_as<cargo>(0).number : 0;
}

// -- needs of policies --------------------------------------------------------

void set_for_policy(options& o, const std::string& name) {
  if (name == "priority")
    o.priority_of = [](const content& message) {
      return number_in(message) % 3;
    };
  if (name == "fair_queuing") {
    o.flow_of = [](const content& message) {
      return libpool::flow_key{std::to_string(number_in(message) % 3)};
    };
    o.width_of = [](const content& message) {
      return static_cast<std::size_t>(1 + number_in(message) % 2);
    };
  }
  if (name == "consistent_hash")
    o.key_of = [](const content& message) {
      return std::optional<std::uint64_t>{number_in(message) % 5};
    };
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

feature shaped(std::string name, shape form) {
  return {std::move(name), "shape", [=](scenario& s) { s.shape = form; }};
}

feature worker(std::string name, worker_kind kind) {
  return {std::move(name), "worker", [=](scenario& s) { s.kind = kind; }};
}

feature gathers(std::string name, gather how) {
  return {std::move(name), "gather", [=](scenario& s) { s.gather = how; }};
}

feature handles(std::string name, handling how) {
  return {std::move(name), "", [=](scenario& s) { s.handlers.push_back(how); }};
}

feature sets(std::string name, const std::function<void(options&)>& set,
             const alteration& also = nullptr) {
  return {std::move(name), "", [=](scenario& s) {
            s.options.push_back({set});
            if (also != nullptr)
              also(s);
          }};
}

feature happens(std::string name, event happening) {
  return {std::move(name), "", [happening = std::move(happening)](scenario& s) {
            s.events.push_back(happening);
          }};
}

feature takes(std::string name, event happening) {
  return {std::move(name), "", [happening = std::move(happening)](scenario& s) {
            s.events.push_back(happening);
            s.takes_workers = true;
          }};
}

feature ends(std::string name, event happening) {
  return {std::move(name), "", [happening = std::move(happening)](scenario& s) {
            s.events.push_back(happening);
            s.takes_workers = s.ends_workers = true;
          }};
}

feature ends_pool(std::string name, event happening) {
  return {std::move(name), "", [happening = std::move(happening)](scenario& s) {
            s.events.push_back(happening);
            s.ends_workers = true;
          }};
}

feature traffic(std::string name, bool scenario::*flag) {
  return {std::move(name), "", [=](scenario& s) { s.*flag = true; }};
}

feature sends(std::string name, strangeness kind) {
  return {std::move(name), "", [=](scenario& s) { s.strange.push_back(kind); }};
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
    w.tell(pool, caf::sys_atom{}, caf::delete_atom{}, w.member_of(pool));
}

void delete_all(world& w) {
  w.excuse();
  w.tell(w.some_pool(), caf::sys_atom{}, caf::delete_atom{});
}

event resize(int n) {
  return [n](world& w) {
    w.tell(w.some_pool(), caf::sys_atom{}, libpool::resize_atom{}, n);
  };
}

void drain(world& w) {
  w.excuse();
  w.tell(w.outer_pool_to_end(), caf::sys_atom{}, libpool::drain_atom{});
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

// -- options ------------------------------------------------------------------

auto first_workers(std::size_t n, bool loose) {
  return [=](options& o) {
    o.may_run_on = [=](const content& message) {
      libpool::worker_choice result;
      for (std::size_t i = 0; i < n; ++i)
        result.workers.push_back(i);
      result.loose = loose;
      return number_in(message) % 2 == 0
               ? std::optional<libpool::worker_choice>{std::move(result)}
               : std::nullopt;
    };
  };
}

void add_options(std::vector<feature>& to) {
  to.push_back(sets(
    "deadline", [](options& o) { o.deadline = 20ms; },
    [](scenario& s) {
      s.has_deadline = true;
      s.intercepts_replies = true;
    }));
  to.back().slot = "deadline";
  to.push_back(sets(
    "far_deadline", [](options& o) { o.deadline = 1h; },
    [](scenario& s) { s.intercepts_replies = true; }));
  to.back().slot = "deadline";
  to.push_back(sets(
    "retry", [](options& o) { o.on_crash = libpool::retry{1}; },
    [](scenario& s) {
      s.retries = true;
      s.intercepts_replies = true;
    }));
  to.push_back(sets(
    "busy_until_answer",
    [](options& o) { o.busy_until = libpool::busy_until::answer; },
    [](scenario& s) { s.intercepts_replies = true; }));
}

void add_choices(std::vector<feature>& to) {
  to.push_back(sets("restricted", first_workers(1, false), [](scenario& s) {
    s.options.back().chooses = true;
    s.is_restricted = true;
  }));
  to.push_back(sets("wished", first_workers(1, true),
                    [](scenario& s) { s.options.back().chooses = true; }));
  to.push_back(sets(
    "home",
    [](options& o) {
      o.home_of = [](const content& message) {
        return std::optional<std::size_t>{number_in(message) % 3};
      };
    },
    [](scenario& s) {
      s.options.back().chooses = true;
      s.options.back().binds = true;
    }));
}

void add_limits(std::vector<feature>& to) {
  to.push_back(sets(
    "capacity", [](options& o) { o.capacity = 4; },
    [](scenario& s) { s.has_capacity = true; }));
  to.push_back(sets(
    "drop_oldest",
    [](options& o) {
      o.capacity = 4;
      o.on_overflow = libpool::overflow::drop_oldest;
    },
    [](scenario& s) { s.has_capacity = true; }));
  to.push_back(sets(
    "window", [](options& o) { o.window = 4; },
    [](scenario& s) { s.options.back().is_of_windows = true; }));
  to.push_back(sets( // so many short tasks wait that workers get leases
    "leased",
    [](options& o) {
      o.on_settled = nullptr;
      o.width_of = nullptr;
    },
    [](scenario& s) { s.is_flood = true; }));
}

void add_lives(std::vector<feature>& to) {
  to.push_back(sets("poison", [](options& o) { o.poison_after = 2; }));
  to.push_back(sets("waits_when_empty", [](options& o) {
    o.when_empty = libpool::when_empty::wait;
  }));
  to.push_back(sets("restarts", [](options& o) {
    o.restart.max = 1000;
    o.restart.pause = 1ms;
    o.restart.longest_pause = 5ms;
  }));
  to.push_back(sets(
    "failing_factory",
    [](options& o) {
      o.restart.max = 1'000'000'000;
      o.restart.pause = 0ns;
      o.restart.longest_pause = 0ns;
    },
    [](scenario& s) { s.loses_factory = true; }));
}

void add_witnesses(std::vector<feature>& to) {
  to.push_back(sets("unmeasured", [](options& o) {
    o.measure_times = false;
    o.slow_after = std::nullopt;
    o.on_slow = nullptr;
  }));
  to.push_back(sets("untold", [](options& o) { o.on_settled = nullptr; }));
  to.push_back(sets("traced", [](options& o) {
    o.trace_of = [](const content& message) {
      return std::to_string(number_in(message));
    };
  }));
  to.push_back(sets("slow", [](options& o) {
    if (!o.measure_times)
      return;
    o.slow_after = 1ns;
    o.on_slow = [](const libpool::slow_task& task) { describe(task); };
  }));
}

void add_events(std::vector<feature>& to) {
  using reason = caf::exit_reason;
  to.push_back(ends("kill", kill_worker));
  to.push_back(ends("exit_normal", worker_exits(reason::normal)));
  to.push_back(ends("exit_shutdown", worker_exits(reason::user_shutdown)));
  to.push_back(ends("exit_kill", worker_exits(reason::kill)));
  to.push_back(ends("exit_unhandled", worker_exits(test::crash_reason)));
  to.push_back(ends("exit_error", worker_exits(caf::sec::runtime_error)));
  to.push_back(takes("delete_worker", delete_worker));
  to.push_back(takes("delete_all", delete_all));
  to.push_back(happens("resize_up", resize(4)));
  to.push_back(takes("resize_down", resize(1)));
  to.push_back(ends_pool("drain", drain));
  to.push_back(ends("drain_inner", drain_inner));
  to.push_back({"last_handle", "", [](scenario& s) {
                  s.drops_front = s.ends_workers = true;
                  s.events.emplace_back([](world& w) { w.drop_front(); });
                }});
  to.push_back(ends_pool("pool_normal", pool_exits(reason::normal)));
  to.push_back(ends_pool("pool_shutdown", pool_exits(reason::user_shutdown)));
  to.push_back(ends_pool("pool_kill", pool_exits(reason::kill)));
  to.push_back(ends("inner_shutdown", inner_pool_exits(reason::user_shutdown)));
  to.push_back(ends("inner_kill", inner_pool_exits(reason::kill)));
  to.push_back(happens("scrape", scrape));
  to.push_back(happens("client_dies", [](world& w) { w.kill_client(); }));
}

std::vector<feature> make_features() {
  std::vector<feature> all;
  for (const auto& each : libpool::managed_policies())
    all.push_back(policy(each));
  all.push_back(gathers("split_join", gather::split_join));
  all.push_back(gathers("failing_split", gather::failing_split));
  all.push_back(gathers("broadcast_all", gather::broadcast_all));
  all.push_back(gathers("first_success", gather::first_success));
  all.push_back(gathers("quorum", gather::quorum));
  all.push_back(gathers("hedged", gather::hedged));
  all.push_back(shaped("managed_in_managed", shape::managed_in_managed));
  all.push_back(shaped("managed_in_direct", shape::managed_in_direct));
  all.push_back(shaped("direct_in_managed", shape::direct_in_managed));
  all.push_back(shaped("three_deep", shape::three_deep));
  all.push_back(shaped("circle", shape::circle));
  all.push_back(shaped("stage", shape::stage));
  all.push_back(shaped("pipelines_in_pool", shape::pipelines_in_pool));
  all.push_back(shaped("pipelines_in_pools", shape::pipelines_in_pools));
  all.push_back(shaped("shared_pipeline", shape::shared_pipeline));
  all.push_back(shaped("split_join_in_managed", shape::split_join_in_managed));
  all.push_back(worker("function", worker_kind::function));
  all.push_back(worker("stateful", worker_kind::stateful));
  all.push_back(worker("typed", worker_kind::typed));
  if (test::companions_are_tracked) {
    all.push_back(worker("companion", worker_kind::companion));
    all.push_back(worker("deaf_companion", worker_kind::deaf_companion));
  }
  all.push_back(worker("detached", worker_kind::detached));
  all.push_back(worker("blocking", worker_kind::blocking));
  all.push_back(handles("error", handling::answers_with_error));
  all.push_back(handles("throw", handling::throws));
  all.push_back(handles("quit", handling::quits));
  all.push_back(handles("quit_failing", handling::quits_failing));
  all.push_back(handles("skip", handling::skips));
  all.push_back(handles("never_look", handling::never_looks));
  all.push_back(handles("await", handling::awaits));
  all.push_back(handles("promise", handling::promises));
  all.push_back(handles("drop", handling::drops));
  all.push_back(handles("delegate", handling::delegates));
  all.push_back(handles("stuck", handling::gets_stuck));
  all.push_back(traffic("urgent", &scenario::is_urgent));
  all.push_back(traffic("recorded", &scenario::is_recorded));
  all.push_back(traffic("durable", &scenario::is_durable));
  all.push_back(traffic("asks_itself", &scenario::asks_itself));
  all.push_back(sends("unknown", strangeness::unknown));
  all.push_back(sends("unknown_atoms", strangeness::unknown_atoms));
  all.push_back(sends("forged_response", strangeness::forged_response));
  all.push_back(sends("down_message", strangeness::down_message));
  all.push_back(sends("get", strangeness::get));
  all.push_back(sends("delete_item", strangeness::delete_all));
  add_options(all);
  add_choices(all);
  add_limits(all);
  add_lives(all);
  add_witnesses(all);
  add_events(all);
  all.push_back(traffic("system_ends", &scenario::ends_with_system));
  return all;
}

} // namespace

const std::vector<feature>& features() {
  static const auto all = make_features();
  return all;
}

const feature& feature_named(const std::string& name) {
  for (const auto& each : features())
    if (each.name == name)
      return each;
  throw std::invalid_argument("no feature '" + name + "'");
}

} // namespace products

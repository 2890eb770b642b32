/// Tiny messages through a pool of four workers and back to nobody, in one
/// thread and on a clock that the program moves: the same instructions in every
/// run. For tools/instructions, which counts them; it tells no time.
///
/// Usage: end_to_end CANDIDATE MESSAGES

#include "crank.hpp"
#include "libpool/pool.hpp"
#include "port/caf_pool.hpp"
#include "port/sending.hpp"
#include "support/demanding_policies.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

/// The actors, and the crank that lets them run.
struct stage {
  stage() {
    for (auto i = 0; i < 4; ++i)
      workers.push_back(crank.system().spawn([this](caf::event_based_actor*) {
        return caf::behavior{[this](int) {
          ++handled;
          crank.pass(std::chrono::nanoseconds{500});
        }};
      }));
  }

  ~stage() {
    for (auto& each : workers)
      caf::anon_send_exit(each, caf::exit_reason::kill);
    crank.run();
  }

  /// Puts the workers into the pool.
  caf::actor filled(caf::actor pool) {
    for (auto& each : workers)
      port::anon_send(pool, caf::sys_atom{}, caf::put_atom{}, each);
    crank.run();
    return pool;
  }

  caf::actor ours(our_pool::policy how) {
    return filled(our_pool::make(crank.system(), std::move(how)));
  }

  test::crank crank;
  std::vector<caf::actor> workers;
  std::size_t handled = 0;
};

using send = std::function<void()>;

send to(caf::actor pool) {
  return [pool = std::move(pool)] { port::anon_send(pool, 42); };
}

/// The policy of the catalogue, with the functions of the user that it needs.
send by_name(stage& on, const libpool::recipe& how) {
  libpool::message_functions asked;
  if (how.placement.name() == "consistent_hash")
    asked.key_of = [next = std::uint64_t{0}](const auto&) mutable {
      return std::optional{next++ % 64};
    };
  if (how.order.name() == "priority")
    asked.priority_of = [next = std::int64_t{0}](const auto&) mutable {
      return next++ % 4;
    };
  return to(on.ours(our_pool::managed(how, {}, asked)));
}

/// The pool, which records its runs from now on.
caf::actor recorded(caf::actor pool) {
  our_pool::record(pool, {std::chrono::seconds{10}});
  return pool;
}

/// Has each worker be home to every fourth message, though in one thread most
/// are taken over by the worker that runs.
libpool::home_options with_homes() {
  libpool::home_options result;
  result.home_of =
    [next = std::size_t{0}](const libpool::message_content&) mutable {
      return std::optional{next++ % 4};
    };
  return result;
}

using candidate = std::function<send(stage&)>;

/// The pools that ask nothing, and the ways without a pool.
std::map<std::string, candidate> simple_candidates() {
  return {
    {"plain",
     [](stage& on) -> send {
       return [&on, i = std::size_t{0}]() mutable {
         port::anon_send(on.workers[i++ % on.workers.size()], 42);
       };
     }},
    {"caf round_robin",
     [](stage& on) {
       auto nobody = [] { return caf::actor{}; };
       return to(on.filled(port::make_caf_pool(on.crank.system(), 0, nobody,
                                               caf_pool::round_robin())));
     }},
    {"round_robin",
     [](stage& on) { return to(on.ours(our_pool::round_robin())); }},
    {"shared_queue, recorded",
     [](stage& on) { return to(recorded(on.ours(our_pool::shared_queue()))); }},
    {"fair_queuing, recorded",
     [](stage& on) { return to(recorded(on.ours(our_pool::fair_queuing()))); }},
    {"work_stealing, homes",
     [](stage& on) {
       return to(on.ours(our_pool::work_stealing(with_homes())));
     }},
  };
}

/// The managed policies of the catalogue, and pools that are asked for more.
std::map<std::string, candidate> candidates() {
  auto result = simple_candidates();
  for (const auto& [name, how] : bench::demanding_policies())
    result.emplace(name, [how = how](stage& on) { return to(on.ours(how)); });
  for (const auto& how : libpool::managed_policies())
    result.emplace(how.name, [how](stage& on) { return by_name(on, how); });
  return result;
}

} // namespace

/// The part that is counted: bursts of messages, as many as wait in a busy
/// pool.
__attribute__((noinline)) void counted(stage& on, const send& next,
                                       std::size_t messages) {
  constexpr std::size_t burst = 1000;
  for (std::size_t sent = 0; sent < messages;) {
    for (std::size_t i = 0; i < burst && sent < messages; ++i, ++sent)
      next();
    on.crank.run();
  }
}

int main(int argc, char** argv) {
  auto known = candidates();
  auto found = argc == 3 ? known.find(argv[1]) : known.end();
  if (found == known.end()) {
    std::fputs("usage: end_to_end CANDIDATE MESSAGES, of:\n", stderr);
    for (auto& [name, make] : known)
      std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  auto messages = static_cast<std::size_t>(std::stoul(argv[2]));
  stage on;
  {
    auto next = found->second(on);
    counted(on, next, messages);
  }
  on.crank.run();
  return on.handled == messages ? 0 : 1;
}

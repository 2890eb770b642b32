/// Tiny messages through a pool of four workers and back to nobody, in one
/// thread and on a clock that the program moves: the same instructions in every
/// run. For tools/instructions, which counts them; it tells no time.
///
/// Usage: end_to_end CANDIDATE MESSAGES

#include "crank.hpp"
#include "libpool/pool.hpp"
#include "port/caf_pool.hpp"
#include "port/sending.hpp"

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

libpool::managed_options untimed() {
  libpool::managed_options result;
  result.measure_times = false;
  return result;
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

const std::map<std::string, std::function<send(stage&)>> candidates{
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
  {"shared_queue",
   [](stage& on) { return to(on.ours(our_pool::shared_queue())); }},
  {"shared_queue, untimed",
   [](stage& on) { return to(on.ours(our_pool::shared_queue(untimed()))); }},
  {"shared_queue, recorded",
   [](stage& on) { return to(recorded(on.ours(our_pool::shared_queue()))); }},
  {"fair_queuing",
   [](stage& on) { return to(on.ours(our_pool::fair_queuing())); }},
  {"fair_queuing, recorded",
   [](stage& on) { return to(recorded(on.ours(our_pool::fair_queuing()))); }},
  {"work_stealing",
   [](stage& on) { return to(on.ours(our_pool::work_stealing())); }},
  {"work_stealing, homes",
   [](stage& on) {
     return to(on.ours(our_pool::work_stealing(with_homes())));
   }},
};

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
  auto found = argc == 3 ? candidates.find(argv[1]) : candidates.end();
  if (found == candidates.end()) {
    std::fputs("usage: end_to_end CANDIDATE MESSAGES, of:\n", stderr);
    for (auto& [name, make] : candidates)
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

/// The cost of asking a pool, to the thread that handles its facts: a summary,
/// which looks at few workers, and stats, which look at each. Each worker has a
/// task in its mailbox, and as many tasks wait.

#include "crank.hpp"
#include "libpool/pool.hpp"
#include "port/sending.hpp"
#include "support/comparison.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace {

using our_pool = libpool::actor_pool;

/// A pool whose workers do not run, since nobody turns the crank.
struct stage {
  explicit stage(std::size_t workers) {
    libpool::managed_options options;
    options.workers = workers;
    pool = libpool::spawn_pool(crank.system(), options, [this] {
      return crank.system().spawn([](caf::event_based_actor*) {
        return caf::behavior{[](int x) { return x; }};
      });
    });
    crank.run();
    for (std::size_t i = 0; i < 2 * workers; ++i)
      port::anon_send(pool, static_cast<int>(i));
  }

  ~stage() {
    crank.run();
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
    crank.run();
  }

  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;

  test::crank crank;
  caf::actor pool;
};

bench::question asking(std::size_t workers) {
  auto on = std::make_shared<std::unique_ptr<stage>>();
  auto pool = [=]() -> const caf::actor& {
    if (*on == nullptr)
      *on = std::make_unique<stage>(workers);
    return (*on)->pool;
  };
  auto ask = [=](libpool::pool_stats (*question)(const libpool::pool_ref&)) {
    return [=](benchmark::State& state) {
      const auto& asked = pool();
      for (auto _ : state)
        benchmark::DoNotOptimize(question(asked));
    };
  };
  return {
    std::to_string(workers) + " workers",
    1,
    {{"summary", ask(&our_pool::summary)}, {"stats", ask(&our_pool::stats)}}};
}

} // namespace

int main(int argc, char** argv) {
  return bench::compare(argc, argv, {asking(8), asking(1'000), asking(10'000)});
}

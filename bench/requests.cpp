/// What does a pool add to requests? An event-based client keeps some of them
/// outstanding and waits for the answers: to single workers, and to all of them
/// with one joined result. By hand, with `caf::actor_pool`, and with ours.

#include "libpool/pool.hpp"
#include "support/comparison.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

namespace {

using actors = std::vector<caf::actor>;
using caf_pool = caf::actor_pool;
using our_pool = libpool::actor_pool;

class echo final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](int x) { return x; }};
  }
};

/// Makes `count` calls, `outstanding` at a time. A call is a request to one of
/// `targets` in turn, or to each of them.
class client final : public caf::event_based_actor {
public:
  struct plan {
    actors targets;
    bool to_each = false;
    std::int64_t count = 0;
    std::int64_t outstanding = 1;
  };

  client(caf::actor_config& cfg, plan what, std::promise<void> finished)
    : caf::event_based_actor(cfg),
      plan_(std::move(what)),
      done_(std::move(finished)) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (std::int64_t i = 0; i < plan_.outstanding && i < plan_.count; ++i)
      call();
    return {};
  }

private:
  void call() {
    ++begun_;
    if (!plan_.to_each) {
      ask(plan_.targets[next_++ % plan_.targets.size()],
          [this](int) { returned(); });
      return;
    }
    auto missing = std::make_shared<std::size_t>(plan_.targets.size());
    for (auto& target : plan_.targets)
      ask(target, [this, missing](int) {
        if (--*missing == 0)
          returned();
      });
  }

  template <class F>
  void ask(const caf::actor& target, F then) {
    request(target, caf::infinite, 42)
      .then(std::move(then), [this](const caf::error& why) {
        caf::aout(this) << "request failed: " << system().render(why) << '\n';
        quit(why);
      });
  }

  void returned() {
    ++ended_;
    if (begun_ < plan_.count)
      call();
    else if (ended_ == plan_.count) {
      done_.set_value();
      quit();
    }
  }

  plan plan_;
  std::promise<void> done_;
  std::size_t next_ = 0;
  std::int64_t begun_ = 0;
  std::int64_t ended_ = 0;
};

std::function<void(benchmark::State&)> calling(caf::actor_system& system,
                                               const client::plan& what) {
  return [&system, what](benchmark::State& state) {
    constexpr std::int64_t batch = 2000;
    while (state.KeepRunningBatch(batch)) {
      auto run = what;
      run.count = batch;
      std::promise<void> finished;
      auto result = finished.get_future();
      system.spawn<client>(std::move(run), std::move(finished));
      result.get();
    }
  };
}

} // namespace

int main(int argc, char** argv) {
  caf::actor_system_config cfg;
  caf::actor_system system{cfg};
  caf::scoped_execution_unit host{&system};
  actors workers;
  for (auto i = 0; i < 4; ++i)
    workers.push_back(system.spawn<echo>());
  auto each = [&workers] {
    return [&workers, i = std::size_t{0}]() mutable { return workers[i++]; };
  };
  auto sum = [](int& to, caf::message& x) { to += x.get_as<int>(0); };
  actors pools{
    caf_pool::make(&host, 4, each(), caf_pool::round_robin()),
    our_pool::make(system, 4, each(), our_pool::round_robin()),
    caf_pool::make(&host, 4, each(), caf_pool::split_join<int>(sum)),
    our_pool::make(system, 4, each(), our_pool::split_join<int>(sum)),
  };
  auto one = [&](actors targets) {
    return calling(system, {std::move(targets), false, 0, 64});
  };
  auto status = bench::compare(
    argc, argv,
    {{"64 outstanding requests, 4 workers",
      1,
      {{"plain", one(workers)},
       {"caf", one({pools[0]})},
       {"libpool", one({pools[1]})}}},
     {"scatter and gather over 4 workers, 16 outstanding",
      1,
      {{"by hand", calling(system, {workers, true, 0, 16})},
       {"caf", calling(system, {{pools[2]}, false, 0, 16})},
       {"libpool", calling(system, {{pools[3]}, false, 0, 16})}}}});
  for (auto& pool : pools)
    caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return status;
}

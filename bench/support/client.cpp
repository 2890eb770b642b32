#include "support/client.hpp"

#include "libpool/actors/error.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <future>
#include <iostream>
#include <memory>
#include <utility>

namespace bench {

namespace {

/// Makes `count` calls and quits.
class client final : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, client_plan plan, std::int64_t count,
         std::promise<void> finished)
    : caf::event_based_actor(cfg),
      plan_(std::move(plan)),
      count_(count),
      done_(std::move(finished)) {
    // nop
  }

  caf::behavior make_behavior() override {
    for (std::int64_t i = 0; i < plan_.outstanding && i < count_; ++i)
      call();
    return {};
  }

private:
  void call() {
    ++begun_;
    if (plan_.width == 1) {
      ask([this](int) { returned(); });
      return;
    }
    auto missing = std::make_shared<std::size_t>(plan_.width);
    for (std::size_t i = 0; i < plan_.width; ++i)
      ask([this, missing](int) {
        if (--*missing == 0)
          returned();
      });
  }

  template <class F>
  void ask(F then) {
    auto& target = plan_.targets[next_++ % plan_.targets.size()];
    auto fail = [this](const caf::error& why) {
      std::cerr << "request failed: " << libpool::render(why, system()) << '\n';
      quit(why);
    };
    if (plan_.payload.empty())
      port::request(this, target, caf::infinite, static_cast<int>(begun_ % 64))
        .then(std::move(then), fail);
    else
      port::request(this, target, caf::infinite, plan_.payload)
        .then(std::move(then), fail);
  }

  void returned() {
    ++ended_;
    if (begun_ < count_)
      call();
    else if (ended_ == count_) {
      done_.set_value();
      quit();
    }
  }

  client_plan plan_;
  std::int64_t count_;
  std::promise<void> done_;
  std::size_t next_ = 0;
  std::int64_t begun_ = 0;
  std::int64_t ended_ = 0;
};

} // namespace

std::function<void(benchmark::State&)> calling(caf::actor_system& system,
                                               const client_plan& plan) {
  return [&system, plan](benchmark::State& state) {
    constexpr std::int64_t batch = 2000;
    while (state.KeepRunningBatch(batch))
      call(system, plan, batch);
  };
}

void call(caf::actor_system& system, const client_plan& plan,
          std::int64_t count) {
  std::promise<void> finished;
  auto result = finished.get_future();
  system.spawn<client>(plan, count, std::move(finished));
  result.get();
}

} // namespace bench

#include "libpool/actors/caf/port/scheduling.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/defaults.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace libpool {

namespace {

class scheduled_call final : public caf::ref_counted, public caf::resumable {
public:
  explicit scheduled_call(std::function<void(execution_context*)> call)
    : call_(std::move(call)) {
    // nop
  }

  subtype_t subtype() const noexcept override {
    return function_object;
  }

  resume_result resume(execution_context* host, std::size_t) override {
    call_(host);
    return done;
  }

  void ref_resumable() const noexcept override {
    ref();
  }

  void deref_resumable() const noexcept override {
    deref();
  }

private:
  std::function<void(execution_context*)> call_;
};

} // namespace

void call_later(caf::actor_system& system,
                std::function<void(execution_context*)> call) {
  system.scheduler().schedule(
    new scheduled_call(std::move(call))); // released by the scheduler
}

bool may_have_other_nodes(const caf::actor_system& system) {
  return system.has_middleman();
}

/// The scheduler does not tell: this is what it does.
std::size_t threads_of(caf::actor_system& system) {
  constexpr auto fewest = 4U;
  auto by_default =
    std::size_t{std::max(std::thread::hardware_concurrency(), fewest)};
  return caf::get_or(caf::content(system.config()), "caf.scheduler.max-threads",
                     by_default);
}

} // namespace libpool

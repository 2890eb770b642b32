#include "libpool/actors/caf/port/scheduling.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <utility>

namespace libpool {

namespace {

class scheduled_call final : public caf::resumable, public caf::ref_counted {
public:
  explicit scheduled_call(std::function<void(execution_context*)> call)
    : call_(std::move(call)) {
    // nop
  }

  resume_result resume(execution_context* host, std::size_t) override {
    call_(host);
    return done;
  }

  void intrusive_ptr_add_ref_impl() override {
    ref();
  }

  void intrusive_ptr_release_impl() override {
    deref();
  }

private:
  std::function<void(execution_context*)> call_;
};

} // namespace

void call_later(caf::actor_system& system,
                std::function<void(execution_context*)> call) {
  system.scheduler().enqueue(
    new scheduled_call(std::move(call))); // released by the scheduler
}

bool may_have_other_nodes(const caf::actor_system& system) {
  return !system.config().module_factories.empty();
}

std::size_t threads_of(caf::actor_system& system) {
  return system.scheduler().num_workers();
}

} // namespace libpool

#include "libpool/actors/caf/scheduled_call.hpp"

#include <caf/actor_system.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <utility>

namespace libpool {

namespace {

class scheduled_call final : public caf::resumable, public caf::ref_counted {
public:
  explicit scheduled_call(std::function<void(caf::execution_unit*)> call)
    : call_(std::move(call)) {
    // nop
  }

  resume_result resume(caf::execution_unit* host, std::size_t) override {
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
  std::function<void(caf::execution_unit*)> call_;
};

} // namespace

void call_later(caf::actor_system& system,
                std::function<void(caf::execution_unit*)> call) {
  system.scheduler().enqueue(
    new scheduled_call(std::move(call))); // released by the scheduler
}

} // namespace libpool

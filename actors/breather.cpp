#include "libpool/actors/breather.hpp"

#include "libpool/actors/managed_pool.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/ref_counted.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <utility>

namespace libpool {

namespace {

class breather final : public caf::resumable, public caf::ref_counted {
public:
  breather(caf::strong_actor_ptr whose, worker_number number)
    : whose_(std::move(whose)), number_(number) {
    // nop
  }

  resume_result resume(caf::execution_unit* host, std::size_t) override {
    static_cast<managed_pool*>(whose_->get())->breath_taken(number_, host);
    return done;
  }

  void intrusive_ptr_add_ref_impl() override {
    ref();
  }

  void intrusive_ptr_release_impl() override {
    deref();
  }

private:
  caf::strong_actor_ptr whose_;
  worker_number number_;
};

} // namespace

void take_breath(managed_pool& whose, worker_number number) {
  auto ptr = caf::actor_cast<caf::strong_actor_ptr>(whose.address());
  whose.home_system().scheduler().enqueue(
    new breather(std::move(ptr), number)); // released by the scheduler
}

} // namespace libpool

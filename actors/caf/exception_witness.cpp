#include "libpool/actors/caf/exception_witness.hpp"

#include <caf/error.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/sec.hpp>

#include <functional>
#include <utility>

namespace libpool {

namespace {

class exception_witness {
public:
  using handler =
    std::function<caf::error(caf::scheduled_actor*, std::exception_ptr&)>;

  explicit exception_witness(handler next) : next_(std::move(next)) {
    // nop
  }

  caf::error operator()(caf::scheduled_actor* self,
                        std::exception_ptr& thrown) const {
    handler_has_thrown(*self, thrown);
    auto why = next_(self, thrown);
    if (why == caf::sec::runtime_error)
      take_over_answer(*self);
    return why;
  }

private:
  handler next_;
};

/// CAF has a function that sets the exception handler, and none that returns
/// it.
class exception_handlers : public caf::scheduled_actor {
public:
  static void witness(caf::scheduled_actor& worker) {
    auto& handler = worker.*(&exception_handlers::exception_handler_);
    if (handler.target<exception_witness>() == nullptr)
      handler = exception_witness{std::move(handler)};
  }
};

} // namespace

void witness_exceptions(caf::scheduled_actor& worker) {
  exception_handlers::witness(worker);
}

} // namespace libpool

#include "libpool/actors/caf/watch.hpp"

#include "libpool/actors/caf/element_record.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"

#include <caf/actor_addr.hpp>
#include <caf/attachable.hpp>

#include <cstddef>
#include <utility>

namespace libpool {

namespace {

/// Identifies one watch among the attachables of a worker.
struct watch_token {
  static constexpr std::size_t token_type = 0x706f6f6c; // none of CAF's
  caf::actor_addr by;
  worker_number number;
};

class watch_attachable final : public caf::attachable {
public:
  watch_attachable(caf::abstract_actor& worker, watch_token watched)
    : worker_(worker), token_(std::move(watched)) {
    // nop
  }

  void actor_exited(const caf::error& reason,
                    execution_context* host) override {
    tell_ends_in(worker_, host);
    if (auto actor = reach(token_.by))
      static_cast<watcher*>(actor->get())
        ->worker_died(token_.number, reason, host);
  }

  bool matches(const token& wanted) override {
    if (wanted.subtype != watch_token::token_type)
      return false;
    const auto& other = *static_cast<const watch_token*>(wanted.ptr);
    return other.by == token_.by && other.number == token_.number;
  }

private:
  caf::abstract_actor& worker_; // which has this
  watch_token token_;
};

} // namespace

void watch(caf::abstract_actor& worker, watcher& watcher,
           worker_number number) {
  worker.attach(caf::attachable_ptr{
    new watch_attachable(worker, watch_token{watcher.address(), number})});
}

void unwatch(caf::abstract_actor& worker, watcher& watcher,
             worker_number number) {
  worker.detach(watch_token{watcher.address(), number});
}

} // namespace libpool

#include "libpool/actors/direct_policy.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"

namespace libpool {

namespace {

class broadcast final : public direct_policy {
public:
  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<broadcast>();
  }

  bool looks_at_messages() const noexcept override {
    return false;
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    copies copies{*element};
    for (auto& worker : workers)
      actor_behind(worker).enqueue(copies.next(), host);
  }
};

} // namespace

std::unique_ptr<direct_policy> make_broadcast() {
  return std::make_unique<broadcast>();
}

} // namespace libpool

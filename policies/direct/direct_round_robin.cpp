#include "libpool/actors/direct_policy.hpp"

#include "libpool/actors/caf/hand_to.hpp"

#include <cstddef>

namespace libpool {

namespace {

class round_robin final : public direct_policy {
public:
  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<round_robin>();
  }

  bool looks_at_messages() const noexcept override {
    return false;
  }

  void dispatch(turns& turn, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    auto& next = workers[turn.next(workers.size())];
    hand_to(next, element, host);
  }
};

} // namespace

std::unique_ptr<direct_policy> make_round_robin() {
  return std::make_unique<round_robin>();
}

} // namespace libpool

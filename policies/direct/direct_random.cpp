#include "libpool/actors/direct_policy.hpp"

#include "libpool/actors/caf/hand_to.hpp"
#include "libpool/policies/direct/random_draws.hpp"

#include <cstdint>

namespace libpool {

namespace {

class random final : public direct_policy {
public:
  explicit random(const random_draws& draws) : draws_(draws) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<random>(draws_);
  }

  bool looks_at_messages() const noexcept override {
    return false;
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    auto& drawn = workers[draws_.below(workers.size())];
    hand_to(drawn, element, host);
  }

private:
  random_draws draws_;
};

} // namespace

std::unique_ptr<direct_policy> make_random(std::uint64_t seed) {
  return std::make_unique<random>(random_draws{seed});
}

} // namespace libpool

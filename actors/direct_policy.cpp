#include "libpool/actors/direct_policy.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/policies/random_draws.hpp"

#include <caf/actor_cast.hpp>

#include <cstddef>
#include <utility>

namespace libpool {

void direct_policy::dispatch_under(uplock& guard, turns& turn,
                                   const actor_vec& workers,
                                   caf::mailbox_element_ptr& element,
                                   execution_context* host) {
  guard.unlock();
  dispatch(turn, workers, element, host);
}

namespace {

/// Sends the message to `worker`.
void hand_to(const caf::actor& worker, caf::mailbox_element_ptr& element,
             execution_context* host) {
  auto& actor = actor_behind(worker);
  if (__builtin_expect(tracked_element::from(*element) != nullptr, 0))
    return tracked_element::pass_on(std::move(element), actor, host);
  actor.enqueue(std::move(element), host);
}

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
    copies of{*element};
    for (auto& worker : workers)
      actor_behind(worker).enqueue(of.next(), host);
  }
};

} // namespace

std::unique_ptr<direct_policy> make_round_robin() {
  return std::make_unique<round_robin>();
}

std::unique_ptr<direct_policy> make_random(std::uint64_t seed) {
  return std::make_unique<random>(random_draws{seed});
}

std::unique_ptr<direct_policy> make_broadcast() {
  return std::make_unique<broadcast>();
}

} // namespace libpool

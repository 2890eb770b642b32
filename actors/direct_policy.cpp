#include "libpool/actors/direct_policy.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/message_element.hpp"
#include "libpool/actors/caf/tracked_element.hpp"
#include "libpool/policies/random_draws.hpp"

#include <caf/actor_cast.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/type_nr.hpp>

#include <cstddef>
#include <utility>

namespace libpool {

void direct_policy::dispatch_under(uplock& guard, turns& turn,
                                   const actor_vec& workers,
                                   caf::mailbox_element_ptr& element,
                                   caf::execution_unit* host) {
  guard.unlock();
  dispatch(turn, workers, element, host);
}

namespace {

/// Sends on an element of a managed pool, which learns its worker, so that the
/// pool knows which worker has it. Apart, so that other messages save no
/// registers.
[[gnu::noinline]] void hand_tracked_to(caf::abstract_actor& worker,
                                       caf::mailbox_element_ptr& element,
                                       caf::execution_unit* host) {
  tracked_element::from(*element)->goes_to(worker);
  worker.enqueue(std::move(element), host);
}

/// Sends the message to `worker`.
void hand_to(const caf::actor& worker, caf::mailbox_element_ptr& element,
             caf::execution_unit* host) {
  auto& actor = actor_behind(worker);
  if (tracked_element::from(*element) != nullptr)
    return hand_tracked_to(actor, element, host);
  actor.enqueue(std::move(element), host);
}

class round_robin final : public direct_policy {
public:
  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<round_robin>();
  }

  void dispatch(turns& turn, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                caf::execution_unit* host) override {
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

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                caf::execution_unit* host) override {
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

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                caf::execution_unit* host) override {
    auto& original = *element;
    auto content = original.move_content_to_message();
    auto id = categorised(original.mid, content);
    for (auto& worker : workers) {
      caf::mailbox_element_ptr copy{
        new message_element{original.sender, id, content}};
      if (!original.stages.empty())
        copy->stages = original.stages;
      actor_behind(worker).enqueue(std::move(copy), host);
    }
  }

private:
  /// `id` in the category of `content`, as CAF does it for elements of its own.
  static caf::message_id categorised(caf::message_id id,
                                     const caf::message& content) noexcept {
    using caf::downstream_msg;
    using caf::upstream_msg;
    auto token = content.type_token();
    if (token == caf::make_type_token<downstream_msg>())
      return caf::mailbox_category_corrector<downstream_msg>::apply(id);
    if (token == caf::make_type_token<upstream_msg>())
      return caf::mailbox_category_corrector<upstream_msg>::apply(id);
    return id;
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

#include "libpool/actors/managed/reply_interceptor.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include <utility>

namespace libpool {

reply_interceptor::reply_interceptor(return_path client, hold held_answers)
  : client_(std::move(client)), holds_(held_answers) {
  // nop
}

void reply_interceptor::arrived(caf::mailbox_element_ptr answer,
                                execution_context* host) {
  auto failed = answer->content().match_elements<caf::error>();
  caf::actor_addr told;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    if (is_ != state::open)
      return;
    is_ = failed ? state::failed : state::succeeded;
    if (failed)
      failure_ = kind_of(answer->content().get_as<caf::error>(0));
    told = std::exchange(told_, caf::actor_addr{});
    auto is_held = holds_ != hold::errors || failed;
    if (holds_ == hold::shared || (client_ && !lets_pass_ && is_held))
      held_ = std::move(answer);
  }
  if (answer != nullptr)
    pass(std::move(answer), host);
  if (auto owner = told ? reach(told) : nullptr)
    owner_->answered(shared_from_this(), host);
}

void reply_interceptor::dropped(execution_context* host) {
  arrived(make_element(
            nullptr, caf::make_message_id(),
            make_error(errc::worker_failed, "the worker dropped the request")),
          host);
}

void reply_interceptor::let_pass(execution_context* host) {
  caf::mailbox_element_ptr held;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    lets_pass_ = true;
    held = std::move(held_);
  }
  if (held != nullptr)
    pass(std::move(held), host);
}

bool reply_interceptor::await(caf::actor_addr told, interceptor_owner& owner) {
  std::lock_guard<std::mutex> guard{mutex_};
  if (is_ != state::open)
    return false;
  told_ = std::move(told);
  owner_ = &owner;
  return true;
}

worker_answer reply_interceptor::take_answer() {
  caf::mailbox_element_ptr held;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    held = std::move(held_);
  }
  if (held == nullptr)
    return {nullptr, caf::make_message(dropped_request())};
  auto sender = std::move(held->sender);
  return {std::move(sender), take_content(*held)};
}

void reply_interceptor::forget_answer() {
  caf::mailbox_element_ptr held; // destroyed outside of the lock
  std::lock_guard<std::mutex> guard{mutex_};
  held = std::move(held_);
  is_ = state::open;
}

std::optional<return_path> reply_interceptor::close() {
  caf::mailbox_element_ptr held; // destroyed outside of the lock
  std::lock_guard<std::mutex> guard{mutex_};
  if (holds_ != hold::shared)
    held = std::move(held_);
  return std::exchange(client_, std::nullopt);
}

bool reply_interceptor::client_is_gone() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return client_ && is_client_gone(client_->sender);
}

caf::strong_actor_ptr reply_interceptor::client() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return client_ ? client_->sender : nullptr;
}

bool reply_interceptor::is_one_of(const client_requests& all) const {
  std::lock_guard<std::mutex> guard{mutex_};
  return client_ && client_->sender != nullptr
         && client_behind(client_->sender) == all.client
         && all.contain(client_->id);
}

caf::error reply_interceptor::held_error() const {
  std::lock_guard<std::mutex> guard{mutex_};
  if (held_ == nullptr || is_ != state::failed)
    return {};
  return held_->content().get_as<caf::error>(0);
}

void reply_interceptor::replace_error(caf::error error) {
  caf::mailbox_element_ptr held; // destroyed outside of the lock
  std::lock_guard<std::mutex> guard{mutex_};
  if (held_ == nullptr || is_ != state::failed)
    return;
  held = std::move(held_);
  held_ = make_element(held->sender, held->mid, std::move(error));
}

std::optional<error_kind> reply_interceptor::failure() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return is_ == state::failed ? std::optional{failure_} : std::nullopt;
}

reply_interceptor::state reply_interceptor::is() const {
  std::lock_guard<std::mutex> guard{mutex_};
  return is_;
}

void reply_interceptor::pass(caf::mailbox_element_ptr answer,
                             execution_context* host) {
  std::optional<return_path> client;
  {
    std::lock_guard<std::mutex> guard{mutex_};
    client = std::exchange(client_, std::nullopt);
  }
  if (!client)
    return;
  auto type = std::move(answer->sender);
  pass_answer(*client, std::move(type), std::move(answer), host);
}

// -- the sender that the worker sees ------------------------------------------

namespace {

class interceptor_actor final
  : public delivering<interceptor_actor, front_actor> {
public:
  interceptor_actor(caf::actor_config& cfg,
                    std::shared_ptr<reply_interceptor> interceptor)
    : delivering(cfg), interceptor_(std::move(interceptor)) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&& answer, execution_context* host) {
    if (!answer->mid.is_response())
      return;
    auto was_sent_abroad = answer->sender != nullptr
                           && is_remote(*answer->sender, home_system());
    interceptor_->arrived(std::move(answer), host);
    if (was_sent_abroad) // CAF's registry would keep it
      cleanup(caf::exit_reason::normal, host);
  }

  const char* name() const override {
    return "libpool::reply_interceptor";
  }

  const std::shared_ptr<reply_interceptor>& interceptor() const noexcept {
    return interceptor_;
  }

  void unreachable() override {
    interceptor_->dropped(nullptr);
    end_unreachable(*this);
  }

private:
  std::shared_ptr<reply_interceptor> interceptor_;
};

} // namespace

const std::shared_ptr<reply_interceptor>&
interceptor_behind(const caf::strong_actor_ptr& sender) noexcept {
  return static_cast<const interceptor_actor&>(*sender->get()).interceptor();
}

caf::message_id as_request(caf::message_id id) noexcept {
  if (id.is_request())
    return id;
  auto result = caf::make_message_id(1);
  return id.is_urgent_message() ? result.with_high_priority() : result;
}

caf::strong_actor_ptr
make_interceptor_actor(caf::actor_system& system,
                       std::shared_ptr<reply_interceptor> interceptor) {
  caf::actor_config cfg;
  return caf::make_actor<interceptor_actor, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg,
    std::move(interceptor));
}

} // namespace libpool

#include "libpool/actors/nodes/durable_intake.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/task_result.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/message_id.hpp>
#include <caf/sec.hpp>

#include <utility>
#include <variant>

namespace libpool {

namespace {

constexpr worker_number number_of_served_pool{0};

/// Passes the calls of the queue on to the intake, while the intake lives.
class intake_ear final : public work_user {
public:
  explicit intake_ear(caf::actor_addr intake) : intake_(std::move(intake)) {
    // nop
  }

  void came(queued_work work) override {
    if (auto intake = reach(intake_))
      static_cast<durable_intake*>(intake->get())->came(std::move(work));
  }

private:
  const caf::actor_addr intake_;
};

/// A client of the queue as a sender of messages to the pool. Passes answers on
/// to the intake.
class queue_client final : public delivering<queue_client, front_actor> {
public:
  queue_client(caf::actor_config& cfg, caf::actor_addr intake)
    : delivering(cfg), intake_(std::move(intake)) {
    // nop
  }

  void deliver(caf::mailbox_element_ptr&& element, execution_context* host) {
    if (auto intake = reach(intake_))
      intake->get()->enqueue(std::move(element), host);
  }

  const char* name() const override {
    return "libpool::queue_client";
  }

private:
  const caf::actor_addr intake_;
};

/// Whether the error of a pool means that the message has not begun, and can be
/// sent again later.
bool is_refusal(const caf::error& of_pool) noexcept {
  return of_pool == errc::queue_full || of_pool == errc::no_workers;
}

/// Whether the error means that the pool has ended. The message may have begun.
bool is_end(const caf::error& of_pool) noexcept {
  return of_pool == errc::pool_closed
         || of_pool == caf::sec::request_receiver_down;
}

} // namespace

durable_intake::durable_intake(caf::actor_config& cfg, caf::actor pool,
                               unsigned retries)
  : delivering(cfg), pool_(std::move(pool)), retries_(retries) {
  // nop
}

void durable_intake::serve(const work_queue_opener& open) {
  self_ = reach(address());
  register_at_system(); // threads of the queue call the intake
  try {
    queue_ = open(std::make_shared<intake_ear>(address()));
  } catch (...) {
    end(nullptr);
    throw;
  }
  watch(actor_behind(pool_), *this, number_of_served_pool);
}

// -- messages that come -------------------------------------------------------

void durable_intake::came(queued_work work) {
  auto shared = std::make_shared<queued_work>(std::move(work));
  tell([this, shared](execution_context* host) { begin(*shared, host); },
       nullptr);
}

/// Sends a message of the queue to the pool. A message that manages pools is
/// refused: another program must not manage the pool or its workers.
void durable_intake::begin(const queued_work& work, execution_context* host) {
  if (self_ == nullptr)
    return;
  auto fail = [&](const caf::error& why) {
    settle(work.number, bytes_of_error(home_system(), why));
  };
  if (work.attempt > 1 + std::uint64_t{retries_})
    return fail(
      make_error(errc::front_lost, "a program that had the message was lost"));
  auto content = unpack(home_system(), work.content.bytes);
  if (const auto* why = std::get_if<caf::error>(&content))
    return fail(*why);
  auto request = ++last_request_;
  auto element = make_work(sender_for(work.client),
                           caf::make_message_id(request),
                           std::get<caf::message>(std::move(content)));
  runs_.emplace(request, run{work.number, work.client});
  if (!is_system_message(*element))
    return actor_behind(pool_).enqueue(std::move(element), host);
  runs_.erase(request);
  fail(make_error(errc::not_work));
}

const caf::strong_actor_ptr&
durable_intake::sender_for(const std::string& client) {
  auto& result = senders_[client];
  ++result.messages;
  if (result.actor == nullptr) {
    auto& system = home_system();
    caf::actor_config cfg;
    result.actor = caf::actor_cast<caf::strong_actor_ptr>(
      caf::make_actor<queue_client, caf::actor>(
        system.next_actor_id(), system.node(), &system, cfg, address()));
  }
  return result.actor;
}

// -- answers ------------------------------------------------------------------

void durable_intake::received(caf::mailbox_element_ptr element,
                              execution_context* host) {
  if (element->mid.is_response())
    answered(*element);
  else if (wants_answer(*element))
    answer(take_return_path(*element), ctrl(),
           caf::make_message(caf::make_error(caf::sec::unexpected_message)),
           host);
}

void durable_intake::answered(caf::mailbox_element& element) {
  auto found = runs_.find(element.mid.request_id().integer_value());
  if (found == runs_.end())
    return;
  auto [number, client] = std::move(found->second);
  runs_.erase(found);
  if (auto from = senders_.find(client); --from->second.messages == 0)
    senders_.erase(from);
  if (queue_ == nullptr)
    return;
  auto& content = content_of(element);
  if (element.sender == pool_ && content.match_elements<caf::error>()) {
    const auto& why = content.get_as<caf::error>(0);
    if (is_end(why))
      return;
    if (is_refusal(why))
      return queue_->put_back(number);
  }
  settle(number, bytes_of_result(home_system(), element));
}

void durable_intake::settle(std::uint64_t number, std::string result) {
  auto most = queue_->most_bytes() - room_for_batch;
  if (result.size() > most)
    result = bytes_of_error(
      home_system(),
      make_error(errc::too_large, too_large_text(result.size(), most)));
  queue_->settle(number, std::move(result));
}

// -- the end ------------------------------------------------------------------

void durable_intake::worker_died(worker_number, const caf::error&,
                                 execution_context* host) {
  tell([this](execution_context* here) { end(here); }, host);
}

void durable_intake::end(execution_context* host) {
  auto last = std::exchange(self_, nullptr);
  if (last == nullptr)
    return;
  pool_ = nullptr;
  queue_ = nullptr;
  cleanup(caf::exit_reason::user_shutdown, host);
  unregister_from_system();
}

} // namespace libpool

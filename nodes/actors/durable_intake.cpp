#include "libpool/nodes/actors/durable_intake.hpp"

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/kind_names.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/node_registry.hpp"
#include "libpool/nodes/actors/task_result.hpp"

#include <caf/actor_cast.hpp>
#include <caf/message_id.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace libpool {

namespace {

/// Passes the calls of the queue on to the intake.
class intake_ear final : public actor_ear<durable_intake, work_user> {
public:
  using actor_ear::actor_ear;

  void came(queued_work work) override {
    pass([&](durable_intake& intake) { intake.came(std::move(work)); });
  }

  void settled(const std::vector<std::uint64_t>& takings) override {
    pass([&](durable_intake& intake) { intake.settled(takings); });
  }

  void taken_over() override {
    pass([](durable_intake& intake) { intake.taken_over(); });
  }
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

/// Whether the error means that the pool drains or has ended.
bool is_end(const caf::error& of_pool) noexcept {
  return of_pool == errc::pool_closed
         || of_pool == caf::sec::request_receiver_down;
}

/// Whether the error means that a pool that has not ended did not begin the
/// message, so that the message can be sent again later.
bool is_refusal(const caf::error& of_pool) noexcept {
  return of_pool == errc::queue_full || of_pool == errc::no_workers
         || of_pool == errc::pool_closed;
}

} // namespace

durable_intake::durable_intake(caf::actor_config& cfg, caf::actor pool,
                               caf::strong_actor_ptr nodes, bool has_nodes_only,
                               detail::queue_terms terms)
  : delivering(cfg, std::move(pool)),
    nodes_(std::move(nodes)),
    has_nodes_only_(has_nodes_only),
    terms_(std::move(terms)) {
  // nop
}

std::shared_ptr<work_queue>
durable_intake::serve(const work_queue_opener& open) {
  std::shared_ptr<work_queue> result;
  auto open_queue = [&] {
    queue_ = open(std::make_shared<intake_ear>(address()));
    if (nodes_ != nullptr)
      registry().use_queue(queue_);
    if (!has_nodes_only_)
      queue_->node_joined(0, [] {}); // its workers do not join another front
    queue_->begin();
    result = queue_;
  };
  open_with(open_queue);
  return result;
}

// -- messages that come -------------------------------------------------------

void durable_intake::came(queued_work work) {
  auto shared = std::make_shared<queued_work>(std::move(work));
  act([this,
       shared](execution_context* host) { begin(std::move(*shared), host); },
      nullptr);
}

void durable_intake::settled(const std::vector<std::uint64_t>& takings) {
  auto note_settled = [this, takings](execution_context* host) {
    if (nodes_ != nullptr)
      registry().settled(takings, host);
  };
  act(note_settled, nullptr);
}

void durable_intake::taken_over() {
  auto note_takeover = [this](execution_context* host) {
    send_to(actor_behind(pool_),
            caf::make_message(caf::exit_msg{
              pool_->address(),
              make_error(errc::front_lost,
                         "another program has taken over the durable queue")}),
            host);
  };
  act(note_takeover, nullptr);
}

node_registry& durable_intake::registry() const {
  return static_cast<node_registry&>(*nodes_->get());
}

void durable_intake::begin(queued_work work, execution_context* host) {
  if (work.attempt == 1 || work.is_checked)
    send(std::move(work), host);
  else if (nodes_ == nullptr)
    queue_->check_earlier(work.number, {});
  else
    find_node(std::move(work), host);
}

/// Sends a message to the node that has begun it for an earlier front. If there
/// is none, the queue decides whether the message has begun.
void durable_intake::find_node(queued_work work, execution_context* host) {
  std::vector<std::uint64_t> earlier{work.takings.begin() + 1,
                                     work.takings.end()};
  auto actor = sender_for(work.client);
  auto request = note({std::move(work), true});
  auto none = [me = address(),
               request](const std::vector<std::uint64_t>& serving,
                        execution_context* here) {
    call_actor<durable_intake>(me, [&](durable_intake& intake) {
      auto check = [&intake, request, serving](execution_context*) {
        if (auto ended = intake.take_run(request))
          intake.queue_->check_earlier(ended->work.number, serving);
      };
      intake.act(check, here);
    });
  };
  registry().adopt(
    std::move(earlier),
    make_element(actor, caf::make_message_id(request), caf::message{}),
    std::move(none), host);
}

/// Sends a message of the queue to the pool. A message that manages pools is
/// refused: another program must not manage the pool or its workers.
void durable_intake::send(queued_work work, execution_context* host) {
  if (work.attempt > 1 + std::uint64_t{terms_.retries})
    return fail(
      std::move(work),
      make_error(errc::front_lost, "a program that had the message was lost"));
  auto read = unpack(home_system(), work.content.bytes);
  if (const auto* why = std::get_if<caf::error>(&read))
    return fail(std::move(work), *why);
  auto content = std::get<caf::message>(std::move(read));
  if (is_system_message(*make_work(nullptr, caf::make_message_id(), content)))
    return fail(std::move(work), make_error(errc::not_work));
  auto journey = std::make_shared<node_journey>();
  if (nodes_ != nullptr)
    content = caf::make_message(
      parcel{std::make_shared<std::string>(work.content.bytes),
             std::move(content),
             errc{},
             {},
             work.takings.front(),
             journey});
  auto actor = sender_for(work.client);
  auto request = note({std::move(work), false, std::move(journey)});
  actor_behind(pool_).enqueue(
    make_work(actor, caf::make_message_id(request), std::move(content)), host);
}

std::uint64_t durable_intake::note(run begun) {
  runs_.emplace(++last_request_, std::move(begun));
  return last_request_;
}

const caf::strong_actor_ptr&
durable_intake::sender_for(const std::string& client) {
  auto& result = senders_[client];
  ++result.messages;
  if (result.actor == nullptr)
    result.actor = caf::actor_cast<caf::strong_actor_ptr>(
      new_actor<queue_client>(home_system(), address()));
  return result.actor;
}

// -- answers ------------------------------------------------------------------

void durable_intake::received(caf::mailbox_element_ptr element,
                              execution_context* host) {
  if (element->mid.is_response())
    answered(*element, host);
  else
    refuse(*element, ctrl(), host);
}

void durable_intake::answered(caf::mailbox_element& element,
                              execution_context* host) {
  auto found = take_run(element.mid.request_id().integer_value());
  if (!found)
    return;
  auto& work = found->work;
  if (found->is_at_nodes && element.sender == nodes_)
    return send(std::move(work), host); // its node is lost
  auto& content = content_of(element);
  if (element.sender == pool_ && content.match_elements<caf::error>()) {
    const auto& why = content.get_as<caf::error>(0);
    if (is_end(why))
      queue_->close();
    if (is_refusal(why) && !may_have_ended())
      return queue_->put_back(work.number);
    if (is_end(why) || why == errc::no_workers)
      return; // the message may have begun
  }
  settle(*found, bytes_of_result(home_system(), element));
}

/// Returns a request that has ended; unset if there is none, or if the intake
/// has ended.
std::optional<durable_intake::run>
durable_intake::take_run(std::uint64_t request) {
  auto found = runs_.find(request);
  if (found == runs_.end())
    return std::nullopt;
  auto result = std::move(found->second);
  runs_.erase(found);
  if (auto client = senders_.find(result.work.client);
      --client->second.messages == 0)
    senders_.erase(client);
  return result;
}

bool durable_intake::may_have_ended() const {
  const auto* inner = dynamic_cast<const inner_pool*>(&actor_behind(pool_));
  return inner == nullptr || inner->may_have_ended();
}

void durable_intake::fail(queued_work work, const caf::error& why) {
  settle({std::move(work)}, bytes_of_error(home_system(), why));
}

void durable_intake::settle(const run& ended, std::string result) {
  auto most = queue_->most_bytes();
  most -= std::min(most, room_for_batch);
  if (result.size() > most)
    result = bytes_of_error(
      home_system(),
      make_error(errc::too_large, too_large_text(result.size(), most)));
  auto failure = failure_in(result, ended);
  queue_->settle(ended.work.number, std::move(result), std::move(failure));
}

/// Returns how the message has failed for good; unset if it has not.
std::optional<work_failure>
durable_intake::failure_in(const std::string& result, const run& ended) const {
  if (!is_error_in(result))
    return std::nullopt;
  auto read = answer_of(home_system(), result);
  const auto& why = read.get_as<caf::error>(0);
  if (!has_failed(why))
    return std::nullopt;
  work_failure failure;
  failure.error = name_of(kind_of(why));
  failure.reason = render(why, home_system());
  failure.attempts = ended.work.attempt;
  if (ended.journey != nullptr) {
    auto journey = ended.journey->look();
    failure.attempts += std::max(journey.times, std::uint64_t{1}) - 1;
    failure.node = std::move(journey.node);
    failure.trace = std::move(journey.trace);
  }
  auto content = unpack(home_system(), ended.work.content.bytes);
  if (const auto* known = std::get_if<caf::message>(&content))
    failure.kind = kind_names{}.name_of(elements_of(*known));
  return failure;
}

bool durable_intake::has_failed(const caf::error& why) const {
  if (is_own(why))
    return why != errc::cancelled && why != errc::client_gone;
  if (terms_.is_failure == nullptr)
    return false;
  try {
    return terms_.is_failure(why);
  } catch (...) {
    return true;
  }
}

// -- the end ------------------------------------------------------------------

void durable_intake::release() {
  nodes_ = nullptr;
  queue_ = nullptr;
  senders_.clear();
  runs_.clear();
}

} // namespace libpool

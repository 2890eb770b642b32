#include "libpool/nodes/actors/durable_submitter.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/alarm.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/task_result.hpp"

#include <caf/actor_clock.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace libpool {

namespace {

/// Passes the calls of the queue on to the submitter.
class submitter_ear final
  : public actor_ear<durable_submitter, submission_user> {
public:
  using actor_ear::actor_ear;

  void accepted(const std::string& id) override {
    pass([&](durable_submitter& submitter) { submitter.accepted(id); });
  }

  void answered(const std::string& id, received_bytes result) override {
    pass([&](durable_submitter& submitter) {
      submitter.answered(id, std::move(result));
    });
  }

  void came_up() override {
    went_down({});
  }

  void went_down(const std::string& why) override {
    pass([&](durable_submitter& submitter) { submitter.line_changed(why); });
  }
};

} // namespace

durable_submitter::durable_submitter(caf::actor_config& cfg,
                                     detail::submission_terms terms)
  : delivering(cfg), how_(std::move(terms)), down_since_(now()) {
  // nop
}

caf::actor make_durable_submitter(caf::actor_system& system,
                                  const detail::submission_terms& terms,
                                  const submission_queue_opener& open) {
  auto result = new_actor<durable_submitter>(system, terms);
  static_cast<durable_submitter&>(actor_behind(result)).begin(open);
  return result;
}

void durable_submitter::begin(const submission_queue_opener& open) {
  queue_ = open(std::make_shared<submitter_ear>(address()));
  register_at_system(); // threads of the queue call the submitter
}

instant durable_submitter::now() const {
  return clock_of(home_system()).now();
}

// -- messages of the pool -----------------------------------------------------

void durable_submitter::received(caf::mailbox_element_ptr element,
                                 execution_context* host) {
  if (tracked_element::from(*element) != nullptr)
    return take(std::move(element));
  if (element->content().match_elements<caf::exit_msg>())
    return end(host);
  refuse(*element, ctrl(), host);
}

/// Takes a message of the pool, unless the pool has taken it back.
void durable_submitter::take(caf::mailbox_element_ptr element) {
  auto& tracked = *tracked_element::from(*element);
  if (has_ended_)
    return give_back(std::move(element), errc::queue_full, {});
  if (!tracked.open())
    return;
  auto number = ++last_number_;
  tracked.known_inside_as(number);
  submit({number, std::move(element)});
}

void durable_submitter::submit(open_message message) {
  auto content = copy_content(*message.element);
  auto packed = pack(home_system(), content);
  if (const auto* why = std::get_if<caf::error>(&packed))
    return give_back(std::move(message.element), errc::not_serializable,
                     render(*why, home_system()));
  auto& bytes = std::get<std::string>(packed);
  auto most = queue_->most_bytes();
  most -= std::min(most, room_for_batch);
  if (bytes.size() > most)
    return give_back(std::move(message.element), errc::too_large,
                     too_large_text(bytes.size(), most));
  std::string id;
  try {
    id = id_of(content, message.number);
  } catch (...) {
    return give_back(std::move(message.element), errc::policy_failed,
                     thrown_text());
  }
  ids_.emplace(message.number, id);
  auto [which, is_new] = open_.try_emplace(id);
  which->second.messages.push_back(std::move(message));
  if (is_new)
    queue_->submit(id, std::move(bytes));
  else if (which->second.is_stored)
    stored(which);
  if (!trouble_.empty())
    give_up();
}

/// May throw what the user throws.
std::string durable_submitter::id_of(const caf::message& content,
                                     std::uint64_t number) const {
  constexpr std::size_t most = 200;
  if (how_.id_of == nullptr)
    return how_.run + "-" + std::to_string(number);
  auto result = call_user("id_of", how_.id_of, elements_of(content));
  if (result.size() > most)
    throw std::invalid_argument{"id_of: must have at most 200 bytes, got "
                                + std::to_string(result.size())};
  return result;
}

// -- calls of the queue -------------------------------------------------------

void durable_submitter::accepted(const std::string& id) {
  auto note_acceptance = [this, id](execution_context*) {
    if (auto entry = open_.find(id); entry != open_.end())
      stored(entry);
  };
  tell(note_acceptance, nullptr);
}

/// Ends the asynchronous messages of a submission that the queue has stored.
void durable_submitter::stored(submission_map::iterator entry) {
  entry->second.is_stored = true;
  auto& messages = entry->second.messages;
  auto first_done = std::stable_partition(
    messages.begin(), messages.end(),
    [](const open_message& each) { return wants_answer(*each.element); });
  for (auto i = first_done; i != messages.end(); ++i) {
    ids_.erase(i->number);
    let_go(std::move(i->element));
  }
  messages.erase(first_done, messages.end());
  if (!messages.empty())
    return;
  queue_->forget(entry->first);
  open_.erase(entry);
}

void durable_submitter::answered(const std::string& id, received_bytes result) {
  auto note_answer = [this, id,
                      result = std::move(result)](execution_context* host) {
    auto entry = open_.find(id);
    if (entry == open_.end())
      return;
    auto content = answer_of(home_system(), result.bytes);
    for (auto& each : remove(entry)) {
      if (wants_answer(*each.element))
        answer(take_return_path(*each.element), ctrl(), content, host);
      let_go(std::move(each.element));
    }
  };
  tell(note_answer, nullptr);
}

void durable_submitter::line_changed(const std::string& why) {
  auto note_change = [this, why](execution_context*) {
    if (has_ended_)
      return;
    if (trouble_.empty() && !why.empty())
      down_since_ = now();
    trouble_ = why;
    if (!trouble_.empty())
      give_up();
  };
  tell(note_change, nullptr);
}

// -- messages that end otherwise ----------------------------------------------

void durable_submitter::cancel_messages(const inner_messages& messages, bool,
                                        execution_context* host) {
  auto cancel_all = [this,
                     numbers = messages.numbers](execution_context* here) {
    for (auto each : numbers)
      drop(each);
    outer().tell({room(), {}, false}, here);
  };
  tell(cancel_all, host);
}

/// Gives a message back for which no client waits any more. A submission that
/// the queue has stored stays there.
void durable_submitter::drop(std::uint64_t number) {
  auto id = ids_.find(number);
  if (id == ids_.end())
    return;
  auto entry = open_.find(id->second);
  ids_.erase(id);
  auto& messages = entry->second.messages;
  auto found = std::find_if(
    messages.begin(), messages.end(),
    [number](const open_message& each) { return each.number == number; });
  auto element = std::move(found->element);
  messages.erase(found);
  if (messages.empty()) {
    queue_->forget(entry->first);
    open_.erase(entry);
  }
  give_back(std::move(element), errc::queue_full, {});
}

/// Refuses a message for good, so that the pool fails it.
void durable_submitter::give_back(caf::mailbox_element_ptr element, errc why,
                                  std::string words) {
  tracked_element::from(*element)->give_back(why, std::move(words));
  let_go(std::move(element));
}

/// Removes a submission, and returns its messages.
std::vector<durable_submitter::open_message>
durable_submitter::remove(submission_map::iterator entry) {
  auto result = std::move(entry->second.messages);
  for (const auto& each : result)
    ids_.erase(each.number);
  open_.erase(entry);
  return result;
}

/// Fails the messages that the queue has not stored, if it has been down for
/// too long.
void durable_submitter::give_up() {
  auto until = later(down_since_, how_.patience);
  if (now() < until)
    return waker_.set(until);
  for (auto next = open_.begin(); next != open_.end();) {
    auto self = next++;
    if (self->second.is_stored)
      continue;
    queue_->forget(self->first);
    for (auto& each : remove(self))
      give_back(std::move(each.element), errc::not_connected,
                "the durable queue has not confirmed the message, which may "
                "run all the same: "
                  + trouble_);
  }
}

void durable_submitter::time_is_up(execution_context* host) {
  auto time_has_passed = [this](execution_context*) {
    if (!has_ended_ && waker_.has_come(now()) && !trouble_.empty())
      give_up();
  };
  tell(time_has_passed, host);
}

/// No message is open: the pool of an open message refers to its workers.
void durable_submitter::unreachable() {
  tell([this](execution_context* host) { end(host); }, nullptr);
}

void durable_submitter::end(execution_context* host) {
  if (std::exchange(has_ended_, true))
    return;
  waker_.set(never);
  while (!open_.empty())
    for (auto& each : remove(open_.begin()))
      give_back(std::move(each.element), errc::not_connected,
                "the client has left the durable queue; the message may run "
                "all the same");
  queue_ = nullptr;
  cleanup(caf::exit_reason::user_shutdown, host);
  unregister_from_system();
}

} // namespace libpool

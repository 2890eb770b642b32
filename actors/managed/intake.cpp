#include "libpool/actors/managed/intake.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/node_worker.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/managed/managed_worker.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/core/splitmix64.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

/// Whether the actor is one of this process.
bool is_here(const caf::actor_control_block& actor) {
  return actor.nid == actor.home_system->node();
}

/// Returns a number that identifies the client.
std::uint64_t id_of_client(const caf::actor_control_block& client) {
  auto result = splitmix64::mixed(client.id());
  return is_here(client) ? result : result ^ fnv_1a(to_string(client.nid));
}

std::string name_of_client(const caf::strong_actor_ptr& client) {
  if (!is_here(*client))
    return to_string(client);
  auto name = registered_name_of(client);
  return name.empty() ? "actor " + std::to_string(client->id()) : name;
}

/// The flow of the actors that send from there. Actors of other nodes may have
/// the same numbers.
flow_key flow_of_sender(const caf::strong_actor_ptr& sender) {
  if (sender == nullptr)
    return {};
  auto& client = client_behind(sender);
  if (client == nullptr)
    return {};
  if (is_here(*client))
    return client->id();
  return to_string(client);
}

std::vector<worker_number> numbers_of(const worker_choice& choice) {
  std::vector<worker_number> result;
  result.reserve(choice.workers.size());
  for (auto each : choice.workers)
    result.push_back(worker_number{each});
  return result;
}

void require_time(const char* function, duration time) {
  if (time < duration{0})
    throw std::invalid_argument{std::string{function}
                                + ": must be at least 0 ns, got "
                                + std::to_string(time.count())};
}

/// Keeps the text of the exception as the reason for which the task is refused.
/// Always false.
bool note_failure(managed_task& task) {
  task.own_extras().crash = thrown_text();
  return false;
}

} // namespace

intake::intake(caf::actor_system& system, const managed_setup& options,
               dispatcher& dispatcher, const answers& answers)
  : options_(options),
    dispatcher_(dispatcher),
    answers_(answers),
    retries_(std::holds_alternative<retry>(options.on_crash)
             || options.retry_on != nullptr),
    intercepts_(options.deadline || options.deadline_of != nullptr
                || options.time_limit || retries_
                || options.same_as.key_of != nullptr || options.batch
                || options.busy_until == busy_until::answer),
    asks_places_(asks_places(options)),
    notes_clients_(answers.tells_settled() || options.id_of != nullptr),
    throttles_(options.throttled_by != nullptr
               || !options.throttles.is_empty()) {
  if (options.nodes)
    packer_.emplace(system, options.nodes->capacity_bytes.value_or(no_limit),
                    answers.tells_refused());
}

void intake::begin(bool gathers) {
  if (packer_ && looks_at_contents())
    packer_->show_contents();
  packs_early_ = packer_ && !gathers; // each task of a gather is packed
  is_plain_ = !packer_ && !has_flows() && !looks_at_contents() && !describes()
              && !retries_ && !options_.deadline;
}

void intake::pack(caf::mailbox_element_ptr& element) const {
  if (!belongs_to_stream(*element))
    packer_->pack(element);
}

/// Whether `classify` does.
bool intake::looks_at_contents() const noexcept {
  return asks_places_ || dispatcher_.needs().kinds
         || options_.priority_of != nullptr || options_.key_of != nullptr
         || options_.flow_of != nullptr || options_.throttled_by != nullptr
         || options_.deadline_of != nullptr || options_.width_of != nullptr
         || options_.same_as.key_of != nullptr || options_.batch
         || options_.trace_of != nullptr || notes_clients_;
}

/// A message that another managed pool sends is looked at when it is handled.
bool intake::is_plain_work(caf::mailbox_element& message) {
  return tracked_element::from(message) == nullptr
         && (!may_be_for_managed_pool(message) || is_work(message));
}

/// The deadline of a message that was accepted at `came`. `own`: result of
/// `deadline_of`.
instant intake::deadline_from(instant came, std::optional<duration> own) const {
  auto result = options_.deadline ? later(came, *options_.deadline) : never;
  return own ? std::min(result, later(came, std::max(*own, duration{0})))
             : result;
}

void intake::take_in(managed_task& task, instant came, instant now) {
  if (auto why = prepare(task, came); why != errc{})
    turn_away(task, why);
  else if (task.has_place)
    dispatcher_.submitted_in_place(task, now, came);
  else
    dispatcher_.submitted(task, now, came);
}

void intake::turn_away(managed_task& task, errc why) {
  if (task.has_place)
    dispatcher_.capacity().unreserve(1);
  dispatcher_.refused(task, why);
}

void intake::wait_for(managed_task& task, managed_worker& worker) {
  let_go_of_restriction(task);
  dispatcher_.restricted(task, worker.alone);
}

errc intake::prepare_now(managed_task& task, instant came) {
  auto packs = packer_ && task.extras().from_outer == nullptr;
  if (packs)
    if (auto why = packer_->open(task); why != errc{})
      return why;
  if (!classify(task))
    return errc::policy_failed;
  if (packs && dispatcher_.recorded_by() != nullptr)
    task.own_notes().kind_name = kind_known_of(task); // while it is shown
  if (packs)
    packer_->hide(task);
  task.deadline = deadline_from(came, task.extras().patience);
  return errc{};
}

void intake::describe_late(managed_task& task) noexcept {
  if (!describes() || task.extras().note.is_made || task.element == nullptr)
    return;
  try {
    describe(task);
  } catch (...) { // NOLINT(bugprone-empty-catch): the task has ended
  }
}

/// Throws what functions of the user throw.
void intake::describe(managed_task& task) {
  auto& note = task.own_extras().note;
  describe(note, content_of_task(task));
  if (options_.trace_of != nullptr)
    task.own_notes().trace = &note.trace;
}

/// Throws what functions of the user throw.
void intake::describe(message_note& note, const message_content& content) {
  note.is_made = true;
  if (options_.trace_of != nullptr)
    note.trace = call_user("trace_of", options_.trace_of, content);
  if (options_.id_of != nullptr)
    note.id = call_user("id_of", options_.id_of, content).name();
  if (answers_.tells_settled() && options_.kind_of == nullptr)
    note.types = &kind_names_.name_of(content);
}

namespace {

/// Whether the client of a message from `sender` is `client`.
bool is_from(const caf::strong_actor_ptr& sender,
             const caf::strong_actor_ptr& client) {
  return sender != nullptr && client_behind(sender) == client;
}

/// Returns the sender of the task's message; nullptr if there is none, or it is
/// not known any more.
caf::strong_actor_ptr sender_of(const managed_task& task) {
  if (const auto* message = gather_of(task))
    return message->client;
  const auto& extras = task.extras();
  if (extras.interceptor != nullptr)
    return extras.interceptor->client();
  if (extras.from_outer != nullptr && extras.from_outer->way.sender != nullptr)
    return extras.from_outer->way.sender;
  if (task.element != nullptr
      && (extras.from_outer == nullptr || extras.outer != nullptr))
    return task.element->sender;
  return task.extras().note.asker;
}

} // namespace

bool intake::has_id(const std::string& id,
                    const message_content& content) const {
  try {
    return options_.id_of != nullptr
           && call_user("id_of", options_.id_of, content).name() == id;
  } catch (...) {
    return false;
  }
}

bool intake::is_meant(const selection& selection,
                      const managed_task& task) const {
  auto knows_id = task.extras().note.is_made || task.element == nullptr;
  return (!selection.flow || task.flow.key().name() == *selection.flow)
         && (selection.client == nullptr
             || is_from(sender_of(task), selection.client))
         && (selection.id.empty()
             || (knows_id ? task.extras().note.id == selection.id
                          : has_id(selection.id, content_of_task(task))));
}

bool intake::is_meant(const selection& selection,
                      const managed_gather& message) const {
  return (!selection.flow || message.flow.name() == *selection.flow)
         && (selection.client == nullptr
             || is_from(message.client, selection.client))
         && (selection.id.empty()
             || has_id(selection.id, elements_of(message.content)));
}

/// Returns the content of the task's message, which may come from an outer pool
/// or be packed.
const message_content& intake::content_of_task(const managed_task& task) const {
  if (const auto* passage = task.extras().from_outer.get())
    return elements_of(passage->content);
  return packer_ ? shown_content(*task.element) : task.element->content();
}

/// Returns which answers to the task's message are held back.
reply_interceptor::hold
intake::hold_for(const managed_task& task) const noexcept {
  using hold = reply_interceptor::hold;
  if (run_of(task) != nullptr)
    return hold::shared;
  return retries_ ? hold::all : hold::errors;
}

void intake::intercept_now(managed_task& task) const {
  const auto& extras = task.extras();
  auto is_unopened = extras.from_outer != nullptr && extras.outer == nullptr;
  answers_.intercept(task,
                     is_unopened ? take_return_path(extras.from_outer->way)
                                 : take_return_path(*task.element),
                     hold_for(task));
}

/// A reply that passed an interceptor passes a new one.
void intake::intercept_again(managed_task& task) const {
  task.was_handled = false;
  const auto& present = task.extras().interceptor;
  if (present == nullptr)
    return;
  if (auto client = present->close()) {
    present->task = nullptr;
    answers_.intercept(task, *std::move(client), hold_for(task));
  }
}

/// Calls the functions of the user that describe the task. Returns false if one
/// throws.
bool intake::classify(managed_task& task) {
  if (task.urgent)
    task.own_notes().priority = 1;
  try {
    const auto* passage = task.extras().from_outer.get();
    const auto* message = gather_of(task);
    if (has_flows() && !names_flows())
      task.flow = flows_.find(
        flow_of_sender(message != nullptr   ? message->client
                       : passage != nullptr ? passage->way.sender
                                            : task.element->sender));
    const auto& content = content_of_task(task);
    ask_user(task, content);
    if (asks_places_ || dispatcher_.needs().kinds)
      ask_places(task, content);
    if (options_.batch)
      ask_batch(task, content);
    if (describes())
      describe(task);
    if (answers_.tells_settled() && options_.kind_of != nullptr)
      task.own_extras().note.kind = std::to_string(task.kind());
    if (task.notes().width == 0)
      throw std::invalid_argument{"width_of: must be at least 1, got 0"};
    return true;
  } catch (...) {
    return note_failure(task);
  }
}

/// Throws what functions of the user throw.
void intake::ask_user(managed_task& task, const message_content& content) {
  if (options_.priority_of != nullptr)
    task.own_notes().priority = call_user("priority_of", options_.priority_of,
                                          content);
  if (options_.key_of != nullptr)
    task.own_notes().key = call_user("key_of", options_.key_of, content);
  if (options_.flow_of != nullptr)
    task.flow = flows_.find(call_user("flow_of", options_.flow_of, content));
  if (has_own_deadlines())
    task.own_extras().patience = call_user("deadline_of", options_.deadline_of,
                                           content);
  if (options_.throttled_by != nullptr)
    task.flow =
      flows_.find(call_user("throttled_by", options_.throttled_by, content));
  if (options_.same_as.key_of != nullptr)
    if (auto key = call_user("same_as", options_.same_as.key_of, content)) {
      task.own_notes().run_key = std::move(key);
      task.is_alone = true;
    }
  if (options_.width_of != nullptr)
    task.own_notes().width = call_user("width_of", options_.width_of, content);
}

/// Where the task is to run, and what it costs to run it elsewhere. May throw.
void intake::ask_places(managed_task& task, const message_content& content) {
  if (options_.home_of != nullptr)
    if (auto home = call_user("home_of", options_.home_of, content))
      task.own_notes().home = worker_number{*home};
  if (options_.estimate_of != nullptr)
    task.own_notes().estimate = call_user("estimate_of", options_.estimate_of,
                                          content);
  task.set_kind(options_.kind_of != nullptr
                  ? call_user("kind_of", options_.kind_of, content)
                  : number_of_types(content));
  if (options_.move_cost != nullptr)
    task.own_notes().move = call_user("move_cost", options_.move_cost, content);
  const auto& notes = task.notes();
  require_time("move_cost", notes.move);
  require_time("estimate_of", notes.estimate.value_or(duration{0}));
  if (options_.may_run_on != nullptr && !is_asked_of_one(task))
    if (auto choice = call_user("may_run_on", options_.may_run_on, content))
      task.own_notes().where = &restrictions_.take(numbers_of(*choice),
                                                   choice->loose);
  if (wants_nodes(options_))
    ask_nodes(task, content);
}

/// Which nodes it wants. May throw.
void intake::ask_nodes(managed_task& task, const message_content& content) {
  auto& notes = task.own_notes();
  auto wants = call_user("wants_of", options_.nodes->wants_of, content);
  if (auto home = nodes_.find(wants.home)) {
    notes.home = home->number;
    notes.move = home->node->time_from_there(wants.bytes);
  }
  if (!is_asked_of_one(task))
    notes.where = nodes_.take(std::move(wants.labels));
}

/// Lets the task share a batch with others of its type, key and width. May
/// throw.
void intake::ask_batch(managed_task& task, const message_content& content) {
  const auto& type = *options_.batch->type;
  if (!type.takes(content))
    return;
  auto& notes = task.own_notes();
  notes.bytes = call_user("the size function of batch_of",
                          [&] { return type.size_of(content); });
  notes.run_key.emplace();
  if (notes.key)
    *notes.run_key += std::to_string(*notes.key);
  if (notes.width != 1)
    *notes.run_key += '/' + std::to_string(notes.width);
  task.is_alone = true;
}

std::uint32_t intake::client_of(const managed_task& task) const {
  return has_flows() ? 0 : client_number(sender_of(task));
}

std::uint32_t intake::client_number(const caf::strong_actor_ptr& sender) const {
  const auto* client = sender != nullptr ? &client_behind(sender) : nullptr;
  if (client == nullptr || *client == nullptr)
    return 0;
  return dispatcher_.recorded_by()->client_number(
    id_of_client(**client), [&] { return name_of_client(*client); });
}

const std::string* intake::kind_known_of(const managed_task& task) {
  if (options_.kind_of != nullptr)
    return &kind_names_.name_of(task.kind());
  if (task.extras().from_outer == nullptr
      && tracked_element::from(*task.element) != nullptr)
    return nullptr;
  const auto& content = content_of_task(task);
  auto is_shown = content.size() > 0; // else it was seen when it was sent first
  return is_shown ? &kind_names_.name_of(content) : task.notes().kind_name;
}

restriction& intake::only_on(managed_task& task,
                             std::vector<worker_number> workers) {
  auto& result = restrictions_.take(std::move(workers), false);
  let_go_of_restriction(task);
  return result;
}

void intake::let_go_of_restriction(managed_task& task) {
  auto* where = std::exchange(task.own_notes().where, nullptr);
  if (where == nullptr)
    return;
  if (where->open)
    nodes_.give_back(*where);
  else
    restrictions_.give_back(*where);
}

} // namespace libpool

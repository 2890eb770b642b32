/// How the node registry handles the tasks of nodes.

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/parcel.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/this_task.hpp"
#include "libpool/nodes/actors/node_proxy.hpp"
#include "libpool/nodes/actors/node_registry.hpp"
#include "libpool/nodes/actors/task_result.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace libpool {

namespace {

bool is_parcel(const caf::message& content) {
  return content.match_elements<parcel>();
}

using packed_task =
  std::variant<std::shared_ptr<const std::string>, caf::error>;

/// Returns the content of the task as bytes. A content that comes from another
/// pool is already packed.
packed_task bytes_of_task(caf::actor_system& system,
                          const caf::message& content) {
  if (is_parcel(content))
    return content.get_as<parcel>(0).bytes;
  auto made = pack(system, content);
  if (auto* why = std::get_if<caf::error>(&made))
    return std::move(*why);
  return std::make_shared<const std::string>(
    std::get<std::string>(std::move(made)));
}

sent_facts sent_facts_of(const task_facts& facts, instant now) {
  sent_facts result{facts.number, facts.attempt, {}, facts.id, facts.trace};
  if (facts.deadline != never)
    result.left = std::max(facts.deadline - now, duration{1});
  return result;
}

std::string name_of_node(const caf::strong_actor_ptr& proxy) {
  return name_of(*proxy->get());
}

} // namespace

/// Takes a task of the pool for a node. A task that cannot be sent to the node
/// goes back to the pool.
void node_registry::take(worker_number session,
                         caf::mailbox_element_ptr element) {
  auto& tracked = *tracked_element::from(*element);
  auto proxy = proxies_.find(session);
  if (proxy == proxies_.end()) {
    tracked.give_back(errc::queue_full);
    return let_go(std::move(element));
  }
  auto number = static_cast<std::uint64_t>(next_task_);
  tracked.known_inside_as(number);
  if (!tracked.open())
    return; // the pool has taken the task back
  next_task_ = task_number{number + 1};
  open_task task{caf::actor_cast<caf::strong_actor_ptr>(proxy->second),
                 std::move(element), nullptr, 0};
  if (const auto& told = tracked.announced())
    task.facts = told->facts;
  auto content = copy_content(*task.element);
  auto bytes = bytes_of_task(home_system(), content);
  std::shared_ptr<node_journey> journey;
  if (is_parcel(content)) {
    task.taking = content.get_as<parcel>(0).taking;
    journey = content.get_as<parcel>(0).journey;
  }
  has_queue_ = has_queue_ || task.taking != 0;
  if (auto* why = std::get_if<caf::error>(&bytes))
    return give_back(task, errc::not_serializable, render(*why, home_system()));
  task.bytes = std::get<std::shared_ptr<const std::string>>(std::move(bytes));
  if (auto most = most_bytes(); task.bytes->size() > most)
    return give_back(task, errc::too_large,
                     too_large_text(task.bytes->size(), most));
  if (journey != nullptr)
    journey->sent(pool_behind<node_proxy>(proxy->second)->node_name(),
                  task.facts != nullptr ? task.facts->trace : std::string{});
  auto size = task.bytes->size();
  if (end_.submitted(task_number{number}, session, size, retries_, now()))
    tasks_.emplace(number, std::move(task));
  else // the node has gone, and the pool will be told
    give_back(task);
}

/// Maximum size of a content, in bytes, that all transports can carry.
std::size_t node_registry::most_bytes() const {
  auto result = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < lines_.size(); ++i)
    result = std::min(result, most_bytes_of(i));
  return result - std::min(result, room_for_batch);
}

std::size_t node_registry::most_bytes_of(line_number number) const {
  return number < lines_.size() && lines_[number].way != nullptr
           ? lines_[number].way->most_bytes()
           : std::numeric_limits<std::size_t>::max();
}

/// Adds what handlers can know of the tasks, unless the message batch would
/// have more than `most` bytes then.
void node_registry::add_facts(tasks_sent& batch, std::size_t most) const {
  constexpr std::size_t bytes_of_numbers = 64;
  auto room = most - std::min(most, room_for_batch);
  auto now = this->now();
  for (auto each : batch.tasks) {
    const auto& task = tasks_.at(static_cast<std::uint64_t>(each));
    auto& facts = batch.facts.emplace_back(
      task.facts != nullptr ? sent_facts_of(*task.facts, now) : sent_facts{});
    auto size = task.bytes->size() + facts.id.size() + facts.trace.size()
                + bytes_of_numbers;
    if (size > room)
      return batch.facts.clear();
    room -= size;
  }
}

/// Returns the contents of the tasks in the batch, and drops them here, because
/// each content is sent once.
std::vector<std::shared_ptr<const std::string>>
node_registry::contents_of(const batch_to_node& batch) {
  std::vector<std::shared_ptr<const std::string>> result;
  if (const auto* sent = std::get_if<tasks_sent>(&batch.content))
    for (auto each : sent->tasks)
      result.push_back(
        std::move(tasks_.at(static_cast<std::uint64_t>(each)).bytes));
  return result;
}

/// Notes the results in the batch, until `node_connections` has decided for
/// which tasks they count.
void node_registry::note_results(const received_bytes& bytes,
                                 const read_by_pool& batch) {
  if (const auto* done = std::get_if<tasks_done>(&batch.batch.content))
    for (std::size_t i = 0; i < done->ends.size(); ++i)
      results_[static_cast<std::uint64_t>(done->ends[i].task)] = {
        bytes.owner, batch.contents[i]};
}

void node_registry::carry_out(const node_connections::release& next,
                              host_ptr host) {
  auto found = tasks_.find(static_cast<std::uint64_t>(next.task));
  if (found == tasks_.end())
    return;
  auto task = std::move(found->second);
  tasks_.erase(found);
  auto is_adopted = tracked_element::from(*task.element) == nullptr;
  if (is_adopted && next.how != node_connections::fate::completed)
    return let_down(std::move(task.element), host);
  switch (next.how) {
    case node_connections::fate::completed:
      return complete(next.task, task, host);
    case node_connections::fate::crashed:
      return fail(task, errc::worker_crashed,
                  "a worker of " + name_of_node(task.proxy) + " crashed", host);
    case node_connections::fate::lost:
      return lose(task, host);
    case node_connections::fate::given_back:
      return give_back(task);
    case node_connections::fate::unread:
      return give_back(task, errc::unreadable,
                       name_of_node(task.proxy) + " cannot read the content: "
                         + unread_[static_cast<std::uint64_t>(next.task)]);
  }
}

void node_registry::carry_out(const node_connections::start& next,
                              host_ptr host) {
  auto found = tasks_.find(static_cast<std::uint64_t>(next.task));
  auto* tracked = found != tasks_.end()
                    ? tracked_element::from(*found->second.element)
                    : nullptr;
  if (tracked != nullptr)
    tracked->tell_begin(next.began, host);
}

void node_registry::complete(task_number task, open_task& ended,
                             host_ptr host) {
  auto& element = *ended.element;
  if (wants_answer(element))
    answer(take_return_path(element), std::move(ended.proxy),
           answer_of(home_system(),
                     results_[static_cast<std::uint64_t>(task)].bytes),
           host);
  let_go(std::move(ended.element));
}

/// A message of the durable queue is not answered at the end of the pool: the
/// node answers the next front.
void node_registry::lose(open_task& task, host_ptr host) {
  if (has_ended_ && task.taking != 0)
    take_return_path(*task.element);
  fail(task, patience_ ? errc::front_lost : errc::node_lost,
       name_of_node(task.proxy) + " was lost", host);
}

void node_registry::fail(open_task& ended, errc why, std::string words,
                         host_ptr host) {
  auto& element = *ended.element;
  auto error = make_error(why, std::move(words));
  tracked_element::from(element)->settled({outcome::failed, why, error});
  if (wants_answer(element))
    answer(take_return_path(element), std::move(ended.proxy),
           caf::make_message(std::move(error)), host);
  let_go(std::move(ended.element));
}

void node_registry::give_back(open_task& ended, errc why, std::string words) {
  tracked_element::from(*ended.element)->give_back(why, std::move(words));
  let_go(std::move(ended.element));
}

} // namespace libpool

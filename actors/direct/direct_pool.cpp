#include "libpool/actors/direct/direct_pool.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/hand_over.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace libpool {

direct_pool::direct_pool(caf::actor_config& cfg, policy policy,
                         pool_options options)
  : delivering(cfg), policy_(std::move(policy)), options_(std::move(options)) {
  register_at_system();
}

// -- starting -----------------------------------------------------------------

/// Starts with `n` workers of the factory, of which dead ones do not count. All
/// join at once, so that the early death of the first is not taken for the
/// death of the last.
void direct_pool::populate(std::size_t n, const factory& make_worker) {
  actor_vec made;
  made.reserve(n);
  try {
    for (std::size_t i = 0; i < n; ++i) {
      auto worker = make_worker();
      if (is_nobody(worker))
        throw std::invalid_argument("libpool: actor_pool::make: the factory "
                                    "returned an invalid handle");
      if (std::find(made.begin(), made.end(), worker) != made.end())
        throw std::invalid_argument(
          "libpool: actor_pool::make: the factory returned "
          + name_of(actor_behind(worker)) + " twice");
      made.push_back(std::move(worker));
    }
  } catch (...) {
    static_cast<void>(add(made)); // stopping the pool stops them
    throw;
  }
  static_cast<void>(add(made));
}

pool_stats direct_pool::stats() {
  pool_stats result;
  result.workers = workers_.read()->workers().size();
  result.refused = refused_.load();
  return result;
}

// -- dispatching --------------------------------------------------------------

void direct_pool::deliver(caf::mailbox_element_ptr&& element,
                          execution_context* host) {
  // The element of another pool is not looked at: that would be its beginning.
  auto is_tracked = tracked_element::from(*element) != nullptr;
  if (!is_tracked && may_be_for_direct_pool(*element) && !is_work(*element)
      && manage(*element, host))
    return;
  auto set = workers_.read();
  if (__builtin_expect(set.is_nested(), 0) && is_endless(set.repeated()))
    return refuse(*element, errc::cycle, host);
  if (__builtin_expect(set->empty(), 0))
    return refuse(*element,
                  set->closed() ? errc::pool_closed : errc::no_workers, host);
  if (__builtin_expect(is_tracked, 0) && policy_.looks_at_messages())
    return dispatch_opened(*set, std::move(element), host);
  if (element->mid.is_request())
    return dispatch_request(*set, std::move(element), host);
  try {
    policy_.dispatch(set->turn(), set->workers(), element, host);
  } catch (...) {
    policy_failed(std::move(element), nullptr, caf::make_message_id(), host);
  }
}

/// Dispatches the message of an outer pool by a policy of the user's, which is
/// to see the message that the client has sent.
void direct_pool::dispatch_opened(const worker_set& set,
                                  caf::mailbox_element_ptr element,
                                  execution_context* host) {
  hand_over opened{element};
  if (!opened)
    return;
  auto id = element->mid;
  auto sender = id.is_request() ? element->sender : nullptr;
  try {
    policy_.dispatch(set.turn(), set.workers(), element, host);
  } catch (...) {
    opened.failed(element);
    policy_failed(std::move(element), std::move(sender), id, host);
  }
}

/// Dispatches a request so that its sender can be told even if the policy takes
/// it and throws. Apart, since it costs two references that other messages can
/// do without.
void direct_pool::dispatch_request(const worker_set& set,
                                   caf::mailbox_element_ptr element,
                                   execution_context* host) {
  auto id = element->mid;
  auto sender = element->sender;
  try {
    policy_.dispatch(set.turn(), set.workers(), element, host);
  } catch (...) {
    policy_failed(std::move(element), std::move(sender), id, host);
  }
}

/// Refuses the message, or an empty one from `sender` if it is lost.
/// @pre the exception of the policy is being handled
void direct_pool::policy_failed(caf::mailbox_element_ptr element,
                                caf::strong_actor_ptr sender,
                                caf::message_id id, execution_context* host) {
  if (element == nullptr)
    element = make_element(std::move(sender), id, caf::message{});
  refuse(*element, make_error(errc::policy_failed, thrown_text()), host);
}

/// Whether a message that has come to this pool `repeated` times before, each
/// time inside the previous dispatch, would go round for ever. The pool may
/// contain itself, or an actor that is not a pool of libpool may send the
/// message back.
bool direct_pool::is_endless(std::size_t repeated) {
  constexpr std::size_t patience = 32;
  return repeated > 0 && (repeated > patience || contains_itself());
}

bool direct_pool::contains_itself() {
  actor_vec inner;
  auto look_into = [&inner](direct_pool& pool) {
    auto set = pool.workers_.read();
    for (auto& worker : set->workers())
      if (pool_behind<direct_pool>(worker) != nullptr
          && std::find(inner.begin(), inner.end(), worker) == inner.end())
        inner.push_back(worker);
  };
  look_into(*this);
  for (std::size_t i = 0; i < inner.size();) { // inner grows
    auto* pool = pool_behind<direct_pool>(inner[i++]);
    if (pool == this)
      return true;
    look_into(*pool);
  }
  return false;
}

/// Apart, since making an error would cost `enqueue` a register.
void direct_pool::refuse(caf::mailbox_element& element, errc why,
                         execution_context* host) {
  refuse(element, make_error(why), host);
}

void direct_pool::refuse(caf::mailbox_element& element, caf::error why,
                         execution_context* host) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (auto* outer = tracked_element::from(element)) {
    auto code = code_of(why);
    if (code == errc::no_workers || code == errc::pool_closed)
      return outer->give_back(code);
    if (!outer->open())
      return;
    outer->settled({outcome::refused, code, why});
  }
  if (element.mid.is_request() && element.sender != nullptr) {
    if (why == errc::pool_closed)
      why = caf::sec::request_receiver_down; // as of any actor that has ended
    answer(element, caf::make_message(std::move(why)), host);
  } else if (options_.on_refused != nullptr) {
    tell_refused(element, std::move(why));
  }
}

namespace {

/// The pools that are telling of refusals in this thread, the last one first.
struct refusing {
  const direct_pool* pool;
  const refusing* before;
};

thread_local const refusing* refusing_here = nullptr;

bool is_refusing(const direct_pool& pool) noexcept {
  auto* i = refusing_here;
  while (i != nullptr && i->pool != &pool)
    i = i->before;
  return i != nullptr;
}

} // namespace

/// A message that comes from the user's function, which is being told of
/// another one, is refused without telling: that would have no end.
void direct_pool::tell_refused(caf::mailbox_element& element, caf::error why) {
  if (is_refusing(*this))
    return;
  refusing me{this, refusing_here};
  refusing_here = &me;
  try {
    refusal told{std::move(element.sender), element.mid, {}, std::move(why)};
    try {
      told.content = take_content(element);
    } catch (...) { // NOLINT(bugprone-empty-catch): told without its content
    }
    options_.on_refused(told);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
  refusing_here = me.before;
}

/// Answers the message if it is a request.
void direct_pool::answer(const caf::mailbox_element& element,
                         caf::message content, execution_context* host) {
  if (element.mid.is_request() && element.sender != nullptr)
    element.sender->enqueue(
      make_element(ctrl(), element.mid.response_id(), std::move(content)),
      host);
}

// -- managing workers ---------------------------------------------------------

/// Handles the message if it is addressed to the pool itself.
bool direct_pool::manage(caf::mailbox_element& element,
                         execution_context* host) {
  using caf::delete_atom;
  using caf::get_atom;
  using caf::put_atom;
  using caf::sys_atom;
  auto& content = element.content();
  if (content.match_elements<caf::exit_msg>()) {
    stop(content.get_as<caf::exit_msg>(0).reason, host);
    return true;
  }
  if (content.match_elements<caf::down_msg>()) {
    // The pool sees deaths itself, so this one is forged.
    answer(element,
           caf::make_message(caf::make_error(caf::sec::unexpected_message)),
           host);
    return true;
  }
  if (workers_.read()->closed())
    return false; // refused like everything else
  if (content.match_elements<sys_atom, put_atom, caf::actor>())
    return settle(element, put(content.get_as<caf::actor>(2)), host);
  if (content.match_elements<sys_atom, delete_atom, caf::actor>())
    return settle(element, remove(content.get_as<caf::actor>(2)), host);
  if (content.match_elements<sys_atom, get_atom>())
    return tell_workers(element, host);
  if (content.match_elements<sys_atom, delete_atom>())
    return settle(element, remove_all(), host);
  return false;
}

/// Answers a change that was asked for; always true.
bool direct_pool::settle(caf::mailbox_element& element, caf::error result,
                         execution_context* host) {
  if (result)
    refuse(element, std::move(result), host);
  else
    answer(element, caf::message{}, host);
  return true;
}

/// Answers a GET; always returns true. As with CAF, a GET with a sender is
/// answered even if it is not a request.
bool direct_pool::tell_workers(const caf::mailbox_element& element,
                               execution_context* host) {
  if (element.sender == nullptr)
    return true;
  auto workers = workers_.read()->workers();
  element.sender->enqueue(make_element(ctrl(), element.mid.response_id(),
                                       caf::make_message(std::move(workers))),
                          host);
  return true;
}

caf::error direct_pool::put(const caf::actor& worker) {
  if (is_nobody(worker))
    return errc::worker_down;
  if (&actor_behind(worker) == this)
    return errc::cycle;
  return add({worker});
}

/// Adds the workers of `more` that live and are not in the set. Returns an
/// error if the pool has ended, or if all of them are dead.
///
/// Workers are watched before they join, and checked while the set cannot
/// change: a worker that has died by then does not join, and the death of any
/// other one is told after it has joined.
caf::error direct_pool::add(const actor_vec& more) {
  std::vector<member> joining;
  for (auto& worker : more)
    joining.push_back({worker, worker_number{joined_.fetch_add(1)}});
  for (auto& [worker, number] : joining)
    begin_watching(worker, number);
  std::vector<member> staying_out;
  auto closed = false;
  auto some_dead = false;
  workers_.update([&](const worker_set& now) -> std::optional<worker_set> {
    closed = now.closed();
    auto joins = [&](const member& m) {
      auto dead = is_dead(actor_behind(m.worker));
      some_dead = some_dead || dead;
      return !closed && !dead && !now.find(m.worker);
    };
    auto out = std::stable_partition(joining.begin(), joining.end(), joins);
    staying_out.assign(out, joining.end());
    joining.erase(out, joining.end());
    if (joining.empty())
      return std::nullopt;
    return now.with(joining);
  });
  for (auto& [worker, number] : staying_out)
    end_watching(worker, number);
  tell_room(nullptr);
  if (closed)
    return errc::pool_closed;
  if (some_dead && joining.empty())
    return errc::worker_down;
  return {};
}

caf::error direct_pool::remove(const caf::actor& worker) {
  std::optional<worker_number> number;
  workers_.update([&](const worker_set& now) -> std::optional<worker_set> {
    auto position = now.find(worker);
    if (!position)
      return std::nullopt;
    number = now.number_at(*position);
    return now.without(*position);
  });
  if (number)
    end_watching(worker, *number);
  tell_room(nullptr);
  return {};
}

caf::error direct_pool::remove_all() {
  std::optional<worker_set> removed;
  workers_.update([&](const worker_set& now) -> std::optional<worker_set> {
    if (now.empty())
      return std::nullopt;
    removed = now;
    return worker_set{};
  });
  for (std::size_t i = 0; removed && i < removed->workers().size(); ++i)
    end_watching(removed->workers()[i], removed->number_at(i));
  tell_room(nullptr);
  return {};
}

void direct_pool::worker_died(worker_number number, const caf::error&,
                              execution_context* host) {
  auto was_last = false;
  workers_.update([&](const worker_set& now) -> std::optional<worker_set> {
    auto position = now.find(number);
    if (!position)
      return std::nullopt;
    was_last = now.workers().size() == 1;
    return was_last ? worker_set::end() : now.without(*position);
  });
  tell_room(host);
  if (was_last)
    finish(caf::exit_reason::out_of_workers, host);
}

namespace {

/// The worker as a pool; nullptr if it is none.
inner_pool* inner_behind(const caf::actor& worker) noexcept {
  return dynamic_cast<inner_pool*>(&actor_behind(worker));
}

} // namespace

void direct_pool::begin_watching(const caf::actor& worker,
                                 worker_number number) {
  watch(actor_behind(worker), *this, number);
  if (auto* pool = inner_behind(worker))
    pool->outer().add(address(), number);
}

void direct_pool::end_watching(const caf::actor& worker, worker_number number) {
  unwatch(actor_behind(worker), *this, number);
  if (auto* pool = inner_behind(worker))
    pool->outer().remove(address(), number);
}

/// What is given back in there comes to the outer pools, which wait for room.
/// A direct pool that contains itself tells once.
void direct_pool::worker_has_room(worker_number, const room_report& report,
                                  execution_context* host) {
  auto told = report;
  auto& passed = told.passed;
  if (std::find(passed.begin(), passed.end(), serial_number_) != passed.end())
    return;
  passed.push_back(serial_number_);
  told.room = room();
  outer().tell(told, host);
}

void direct_pool::tell_room(execution_context* host) {
  if (!outer().empty())
    outer().tell({room(), {}, false}, host);
}

/// The room of the workers that are pools, and one for each other worker.
room direct_pool::room() const noexcept {
  libpool::room result;
  auto set = workers_.read();
  result.expects_change = set->closed();
  for (auto& worker : set->workers()) {
    auto* pool = pool_behind<pool_front>(worker);
    auto has_seats = pool != nullptr && pool->is_managed(); // and no cycle
    result.seats += has_seats ? std::max<std::size_t>(pool->room().seats, 1)
                              : 1;
  }
  return result;
}

// -- the end ------------------------------------------------------------------

/// Publishes the end. Returns the workers, or nothing if the pool had ended.
std::optional<actor_vec> direct_pool::close() {
  std::optional<actor_vec> orphans;
  workers_.update([&](const worker_set& now) -> std::optional<worker_set> {
    if (now.closed())
      return std::nullopt;
    orphans = now.workers();
    return worker_set::end();
  });
  return orphans;
}

/// Ends the pool and stops its workers; nothing if it has ended already.
void direct_pool::stop(const caf::error& reason, execution_context* host) {
  auto orphans = close();
  if (!orphans)
    return;
  auto exit = caf::make_message(caf::exit_msg{
    address(), reason ? reason : caf::error{caf::exit_reason::user_shutdown}});
  for (auto& worker : *orphans)
    send_exit(worker, exit, host);
  finish(reason, host);
}

/// Tells the actors that watch the pool that it has ended.
void direct_pool::finish(caf::error reason, execution_context* host) {
  if (cleanup(std::move(reason), host))
    unregister_from_system();
}

/// Called when the last reference is gone. Workers without other references end
/// after the messages that they have. Workers that block must be told: they
/// refer to themselves, and would wait for ever.
void direct_pool::unreachable() {
  constexpr auto reason = caf::exit_reason::unreachable;
  if (auto orphans = close()) {
    auto exit = caf::make_message(caf::exit_msg{address(), reason});
    for (auto& worker : *orphans)
      if (actor_behind(worker).getf(caf::abstract_actor::is_blocking_flag))
        send_exit(worker, exit, nullptr);
    orphans = std::nullopt;
    finish(reason, nullptr);
  }
}

const char* direct_pool::name() const {
  return "libpool::actor_pool";
}

} // namespace libpool

#pragma once

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "support/hand_cranked.hpp"
#include "support/port/actors.hpp"
#include "support/port/elements.hpp"
#include "support/port/ways.hpp"

#include <caf/all.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// Makes an actor that is a class of its own.
template <class Actor>
caf::actor make(hand_cranked& world) {
  caf::actor_config cfg;
  auto& system = world.system();
  return caf::make_actor<Actor, caf::actor>(system.next_actor_id(),
                                            system.node(), &system, cfg);
}

/// An actor that keeps its messages as they come. It stands for a client or for
/// a worker, whichever side the test wants to play by hand.
class probe_actor final
  : public libpool::delivering<probe_actor, libpool::front_actor> {
public:
  explicit probe_actor(caf::actor_config& cfg) : delivering(cfg) {
    // nop
  }

  const char* name() const override {
    return "probe";
  }

  void deliver(caf::mailbox_element_ptr&& element,
               libpool::execution_context*) {
    if (on_enqueue)
      on_enqueue(*element);
    inbox.push_back(std::move(element));
  }

  std::vector<caf::mailbox_element_ptr> inbox;
  std::function<void(caf::mailbox_element&)> on_enqueue;
};

/// The answers to a request.
struct reply {
  std::size_t count = 0; ///< How many answers came; more than one is wrong.
  caf::message content;  ///< Of the first answer.

  bool came() const {
    return count > 0;
  }

  bool is_empty() const {
    return came() && content.empty();
  }

  caf::error error() const {
    return content.match_elements<caf::error>() ? content.get_as<caf::error>(0)
                                                : caf::error{};
  }

  template <class T>
  T get() const {
    return content.match_elements<T>() ? content.get_as<T>(0) : T{};
  }
};

/// A handle to a probe, with verbs.
class probe {
public:
  explicit probe(hand_cranked& world)
    : world_(world), handle_(make<probe_actor>(world)) {
    // Messages in inboxes may refer to probes and pools in circles.
    world.at_end([address = handle_->address()] {
      if (auto self = caf::actor_cast<caf::actor>(address)) {
        probe_of(self).on_enqueue = nullptr;
        probe_of(self).inbox.clear();
      }
    });
  }

  const caf::actor& handle() const {
    return handle_;
  }

  caf::strong_actor_ptr pointer() const {
    return caf::actor_cast<caf::strong_actor_ptr>(handle_);
  }

  probe_actor* operator->() const {
    return &probe_of(handle_);
  }

  /// Sends a message with this id.
  template <class... Ts>
  void send_as(caf::message_id id, const caf::actor& to, Ts&&... xs) const {
    caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
      libpool::make_element(pointer(), id, std::forward<Ts>(xs)...), nullptr);
  }

  /// Sends an asynchronous message.
  template <class... Ts>
  void send(const caf::actor& to, Ts&&... xs) const {
    send_as(caf::make_message_id(), to, std::forward<Ts>(xs)...);
  }

  /// Sends a request; returns its number.
  template <class... Ts>
  std::uint64_t request(const caf::actor& to, Ts&&... xs) {
    auto number = ++last_request_; // more may be sent meanwhile
    send_as(caf::make_message_id(number), to, std::forward<Ts>(xs)...);
    return number;
  }

  /// The answers to the request with this number.
  reply answer_to(std::uint64_t request) const {
    reply result;
    for (auto& element : (*this)->inbox)
      if (element->mid.is_response()
          && element->mid.request_id().integer_value() == request
          && result.count++ == 0)
        result.content = copy_of_content(*element);
    return result;
  }

  /// Sends a request, runs the system until it is idle, and returns the
  /// answers.
  template <class... Ts>
  reply ask(const caf::actor& to, Ts&&... xs) {
    auto number = request(to, std::forward<Ts>(xs)...);
    world_.run();
    return answer_to(number);
  }

  reply put(const caf::actor& pool, const caf::actor& worker) {
    return ask(pool, caf::sys_atom{}, caf::put_atom{}, worker);
  }

  reply remove(const caf::actor& pool, const caf::actor& worker) {
    return ask(pool, caf::sys_atom{}, caf::delete_atom{}, worker);
  }

  reply remove_all(const caf::actor& pool) {
    return ask(pool, caf::sys_atom{}, caf::delete_atom{});
  }

  /// Answers the element at `position` of the inbox as a worker would.
  template <class... Ts>
  void answer(std::size_t position, Ts&&... xs) const {
    auto& element = *(*this)->inbox.at(position);
    element.sender->enqueue(libpool::make_element(pointer(),
                                                  element.mid.response_id(),
                                                  std::forward<Ts>(xs)...),
                            nullptr);
  }

  /// Dies, as far as anybody else can tell.
  void die(caf::error reason = caf::exit_reason::kill) const {
    (*this)->cleanup(std::move(reason), nullptr);
  }

  std::size_t received() const {
    return (*this)->inbox.size();
  }

  /// The exit messages that it got.
  std::vector<caf::error> exits() const {
    std::vector<caf::error> result;
    for (auto& element : (*this)->inbox)
      if (libpool::content_of(*element).match_elements<caf::exit_msg>())
        result.push_back(
          libpool::content_of(*element).get_as<caf::exit_msg>(0).reason);
    return result;
  }

private:
  static probe_actor& probe_of(const caf::actor& handle) {
    return *static_cast<probe_actor*>(
      caf::actor_cast<caf::abstract_actor*>(handle));
  }

  hand_cranked& world_;
  caf::actor handle_;
  std::uint64_t last_request_ = 0;
};

/// A factory that hands out these probes, one after the other.
inline std::function<caf::actor()> one_by_one(const std::vector<probe>& from) {
  std::vector<caf::actor> handles;
  for (auto& worker : from)
    handles.push_back(worker.handle());
  return [handles, i = std::size_t{0}]() mutable { return handles.at(i++); };
}

/// So many probes in one world.
inline std::vector<probe> probes(hand_cranked& world, std::size_t n) {
  std::vector<probe> result;
  for (std::size_t i = 0; i < n; ++i)
    result.emplace_back(world);
  return result;
}

/// How many elements each probe got.
inline std::vector<std::size_t> received(const std::vector<probe>& by) {
  std::vector<std::size_t> result;
  for (auto& each : by)
    result.push_back(each.received());
  return result;
}

/// The numbers that a probe got, in order.
inline std::vector<int> numbers_of(const probe& by) {
  std::vector<int> result;
  for (auto& each : by->inbox)
    if (libpool::content_of(*each).match_elements<int>())
      result.push_back(libpool::content_of(*each).get_as<int>(0));
  return result;
}

/// An actor as errors call it that know no number of it in a pool.
inline std::string name_of(const caf::actor& worker) {
  auto* actor = caf::actor_cast<caf::abstract_actor*>(worker);
  return "actor " + std::to_string(worker.id()) + " ("
         + libpool::short_words_of(*actor) + ')';
}

/// A worker that doubles numbers.
class doubler final : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    set_default_handler(caf::drop); // answers sec::unexpected_message, quietly
    return {[](int x) { return 2 * x; }};
  }
};

} // namespace test

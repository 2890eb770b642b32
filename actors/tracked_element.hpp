#pragma once

#include "libpool/actors/return_path.hpp"
#include "libpool/core/dispatcher.hpp"
#include "libpool/core/instant.hpp"

#include <caf/actor_clock.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <typeinfo>
#include <utility>

namespace libpool {

class tracked_element;
struct managed_task;

/// Who is told what has become of tracked elements.
class element_owner {
public:
  /// The worker is done with `what`, which is the owner's again. `host` is
  /// where the worker runs, or nullptr if that is not in the scheduler.
  virtual void ended(tracked_element& what,
                     caf::execution_unit* host) noexcept = 0;

protected:
  ~element_owner() = default;
};

/// A client's message on its way through the mailbox of a worker. It tells when
/// the worker's handler begins and when it has ended, without the help of the
/// worker, and can be taken back until it begins.
///
/// An actor's first look at a message is `content()`: that is the start. It
/// destroys the message after the handler has returned: that is the end. Before
/// the start, a tracked element shows no sender and the id of an asynchronous
/// message, so that nobody answers in its place when the worker dies; at the
/// start it becomes what the client has sent.
///
/// Source:  actors of CAF 0.17 categorise a message by its content before they
///          do anything else with it.
/// Threads: the owner loads, sends and recalls; the worker looks and ends.
class tracked_element final : public caf::mailbox_element {
public:
  /// Who gets it. `scheduled` is `actor` if that runs in the scheduler.
  struct receiver {
    caf::abstract_actor* actor = nullptr;
    caf::local_actor* scheduled = nullptr;
  };

  /// The owners of an element and of those that it carries.
  struct lineage {
    const element_owner* owner;
    std::shared_ptr<const lineage> before;
  };

  /// Times are measured by `clock`, if any.
  tracked_element(element_owner& owner, caf::actor_clock* clock,
                  bool counts_cpu_time) noexcept;

  // -- of the owner -----------------------------------------------------------

  /// Makes it carry `what`, as part of `task`. Who has sent it, if it is a
  /// request, is kept in mind where `keeps_client`.
  void load(managed_task& task, caf::mailbox_element_ptr what,
            const receiver& to, bool keeps_client);

  /// It was made on behalf of what had passed others before.
  void descend_from(std::shared_ptr<const lineage> before) noexcept {
    before_ = std::move(before);
  }

  /// What another one that is made on behalf of this one descends from.
  std::shared_ptr<const lineage> line() const {
    return std::make_shared<lineage>(lineage{&owner_, before_});
  }

  /// Whoever has it, without a handler of its own that runs, has done with it:
  /// what is thrown in this thread right now is none of its business.
  void has_been_answered() noexcept {
    exceptions_ = std::numeric_limits<int>::max();
  }

  /// Tries to take it back. Returns false if it has started; otherwise what is
  /// left in the mailbox is consumed in silence.
  bool recall() noexcept;

  /// What it carries, if it has not started.
  caf::mailbox_element_ptr unload() noexcept;

  /// The task that it was loaded for; nullptr once it was recalled.
  managed_task* task() const noexcept {
    return task_;
  }

  bool has_started() const noexcept {
    return stage_.load(std::memory_order_acquire) == stage::started;
  }

  instant started_at() const noexcept {
    return started_at_;
  }

  instant ended_at() const noexcept {
    return ended_at_;
  }

  /// That the handler used; zero unless it is counted.
  duration cpu_time() const noexcept {
    return cpu_time_;
  }

  ending how() const noexcept {
    return how_;
  }

  /// Why the worker has crashed.
  const caf::error& reason() const noexcept {
    return reason_;
  }

  /// The way back to who had sent the request that has crashed the worker.
  return_path take_client() noexcept {
    return {std::move(client_), client_id_, {}};
  }

  /// Whether `owner` has sent it on before: pools may be workers of pools.
  bool has_passed(const element_owner& owner) const noexcept;

  /// `what` as an element of a managed pool, this one's or another's; nullptr
  /// if it is none.
  static tracked_element* from(caf::mailbox_element& what) noexcept {
    // The type is described in one place: comparing that is enough.
    return &typeid(what) == &typeid(tracked_element)
             ? static_cast<tracked_element*>(&what)
             : nullptr;
  }

  // -- of the worker ----------------------------------------------------------

  caf::type_erased_tuple& content() override;
  const caf::type_erased_tuple& content() const override;
  caf::message move_content_to_message() override;
  caf::message copy_content_to_message() const override;
  void request_deletion(bool) const noexcept override;

private:
  enum class stage : std::uint8_t { queued, started, recalled };

  bool begin();
  bool can_begin() const noexcept;
  void look_again();
  void note_start();
  caf::execution_unit* end() noexcept;
  bool has_crashed();
  instant now() const;

  element_owner& owner_;
  caf::actor_clock* clock_;
  managed_task* task_ = nullptr;
  caf::mailbox_element_ptr what_;
  std::shared_ptr<const lineage> before_; // of what it carries
  receiver to_;
  std::atomic<stage> stage_{stage::queued};
  ending how_ = ending::completed;
  int exceptions_ = 0;
  bool keeps_client_ = false;
  const bool counts_cpu_time_;
  unsigned looks_ = 0;
  instant started_at_{};
  instant ended_at_{};
  duration cpu_time_{0};   // until it has ended: of the thread, when it started
  std::size_t thread_ = 0; // where it has started
  caf::error reason_;
  caf::strong_actor_ptr client_;
  caf::message_id client_id_;
};

} // namespace libpool

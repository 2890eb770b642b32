#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/pipeline_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/stage_line.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace libpool {

class tracked_element;

/// An item of a pipeline, with its client and its content.
struct pipeline_item : line_item {
  /// The client's message, until the item is settled. An element of a managed
  /// pool ends then. Empty for an item of the source.
  caf::mailbox_element_ptr client;
  /// Message for the next stage.
  caf::message content;
  /// Number of the open request to a stage or to the source; 0 if none. Starts
  /// with the number of the slot.
  std::uint64_t request = 0;
  std::size_t slot = 0;
  bool is_urgent = false;
  /// Whether a client waits for the result.
  bool is_awaited = false;
  /// Whether the source has not delivered the item yet.
  bool is_pulled = false;
  /// Text of the stage's error, if the stage failed the item.
  std::string problem;
  /// Name of the result of `pipeline_options::id_of`.
  std::string id;
  /// Whether the item leaves the pipeline as soon as no stage handles it.
  bool is_cancelled = false;
};

/// The actor in front of a line of stages, see `pipeline`.
///
/// It translates messages to facts, passes the facts to a `stage_line`, and
/// carries out the decisions of the line. Items are sent to the actor of a
/// stage as requests. An answer finds its item by the unique number of the
/// request.
///
/// Open requests refer to the pipeline. When the last reference goes, the only
/// items left are items whose requests were dropped, and these fail.
class pipeline_actor final : public delivering<pipeline_actor, serial_actor>,
                             public inner_pool {
public:
  /// A stage, or the source.
  struct member {
    std::string name;
    caf::actor handle;
    bool is_owned = false;
    std::size_t credit = 1;
  };

  /// If `has_source`, the source is the last of the members.
  pipeline_actor(caf::actor_config& cfg, std::vector<member> members,
                 bool has_source, pipeline_options options);

  // -- called by users, through pipeline --------------------------------------

  /// Watches the members, and asks the source, if there is one.
  /// @pre no other thread knows the pipeline
  void begin();

  pipeline_stats stats();
  cancel_counts cancel(const selection& selection);

  /// Actors of the stages, without the source; null: the stage was let go.
  std::vector<caf::actor> stage_actors();

  /// Number of items that the first stage takes.
  std::size_t credit() const noexcept {
    return line_.stage(0).credit;
  }

  const char* kind() const noexcept override {
    return "pipeline";
  }

  /// Room for as many messages as the first stage takes items.
  libpool::room room() const noexcept override {
    return {credit(), false};
  }

  bool cancels() const noexcept override {
    return true;
  }

  void cancel_requests(const client_requests& requests,
                       execution_context* host) override;
  void cancel_messages(const inner_messages& messages, bool,
                       execution_context* host) override;

  // -- called by CAF, stages and timers ---------------------------------------

  const char* name() const override {
    return options_.name.c_str();
  }

  void unreachable() override;

  /// Notes that the source may be asked now.
  void open(execution_context* host);

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

private:
  using host_ptr = execution_context*;

  /// Number that no thread has.
  static constexpr auto no_thread = static_cast<std::size_t>(-1);

  // -- facts, in pipeline_actor.cpp -------------------------------------------

  void received(caf::mailbox_element_ptr element, host_ptr host) override;
  void handled_all(host_ptr host) override;
  void received_from(tracked_element& outer, caf::mailbox_element_ptr element,
                     host_ptr host);
  void submitted(caf::mailbox_element_ptr element, host_ptr host);
  caf::error objection(caf::mailbox_element& element) const;
  bool take_content(pipeline_item& item, caf::mailbox_element& element);
  void answered(caf::mailbox_element& element);
  void stage_answered(pipeline_item& item, caf::mailbox_element& element);
  void fail(pipeline_item& item, std::string problem);
  void source_answered(pipeline_item& item, caf::mailbox_element& element);

  // -- decisions, in pipeline_decisions.cpp -----------------------------------

  void carry_out(host_ptr host);
  void report_room(host_ptr host);
  void carry_out(const line_decision& decision, host_ptr host);
  void accepted(pipeline_item& item, host_ptr host);
  void ask(pipeline_item& item, std::size_t stage, host_ptr host);
  static bool client_is_gone(const pipeline_item& item);
  bool request(pipeline_item& item, const member& stage, caf::message content,
               host_ptr host);
  void pull(std::size_t many, host_ptr host);
  void settle(pipeline_item& item, const line_decision& decision,
              host_ptr host);
  void failed(pipeline_item& item, std::size_t stage, host_ptr host);
  caf::error stage_error(std::size_t stage, const std::string& problem) const;
  void refuse(pipeline_item& item, errc why, host_ptr host);
  void refuse(caf::mailbox_element& element, caf::message content,
              caf::error why, host_ptr host);

  // -- items that are cancelled, in cancelling.cpp ----------------------------

  void note_id(pipeline_item& item) const;
  caf::error objection_to(const selection& selection) const;
  std::size_t first_of_pool(std::size_t stage) const;
  cancel_counts cancel_here(const selection& selection, host_ptr host);
  template <class F>
  cancel_counts cancel_where(F is_meant, host_ptr host);
  void tell_cancelled(pipeline_item& item, host_ptr host);

  // -- life, in pipeline_life.cpp ---------------------------------------------

  bool manage(caf::mailbox_element& element, host_ptr host);
  void drain(caf::mailbox_element& element);
  void died(std::size_t stage, const caf::error& reason);
  void lose_stage(std::size_t stage, const std::string& why);
  void source_failed(const std::string& why);
  void source_died(const caf::error& reason);
  void stage_over(std::size_t stage, host_ptr host);
  void let_go(std::size_t stage, host_ptr host);
  void end_if_over(host_ptr host);
  void end_now(const caf::error& reason, host_ptr host);
  void vanish(host_ptr host);
  void end(const caf::error& reason, const caf::message& to_drainers,
           host_ptr host);
  pipeline_stats collect_stats() const;
  std::vector<caf::actor> collect_actors() const;

  /// Calls the function in turn with the other facts of the pipeline, and
  /// returns the result.
  template <class T>
  T in_turn(T (pipeline_actor::*collect)() const);

  bool has_source() const noexcept {
    return members_.size() > line_.size();
  }

  caf::strong_actor_ptr me() const;
  pipeline_item& new_item();
  void recycle(pipeline_item& item);
  std::uint64_t next_number(const pipeline_item& item) noexcept;

  /// Number of the handling thread.
  std::atomic<std::size_t> handling_{no_thread};

  // The members below belong to the handling thread.

  const pipeline_options options_;
  std::vector<member> members_;
  stage_line line_;
  std::vector<line_decision> batch_;

  std::vector<std::unique_ptr<pipeline_item>> items_; // by slot
  std::vector<pipeline_item*> free_;
  std::uint64_t requests_ = 0;
  std::uint64_t objections_ = 0; // messages that were not offered to the line
  bool owes_report_ = false;     // to pools that found no room

  std::vector<std::string> losses_; // reasons
  caf::error failure_;              // first error of a stage or of the source
  bool was_drained_ = false;
  std::optional<caf::error> exit_; // reason for an immediate end
  bool ended_ = false;
  std::vector<return_path> drainers_;
};

} // namespace libpool

#pragma once

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/caf/serial_actor.hpp"
#include "libpool/actors/pipeline.hpp"
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

/// An item of a pipeline, with its client and content.
struct pipeline_item : line_item {
  /// The client's message, for as long as the item is not settled: an element
  /// of a managed pool ends then. Empty if the item is the source's.
  caf::mailbox_element_ptr client;
  /// The message that the next stage gets.
  caf::message content;
  /// The number of the request by which a stage, or the source, was asked; 0
  /// if there is none under way. It begins with that of the slot.
  std::uint64_t request = 0;
  std::size_t slot = 0;
  bool is_urgent = false;
  /// Whether a client waits for the result.
  bool is_awaited = false;
  /// Whether it is still to come from the source.
  bool is_pulled = false;
  /// The error of the stage in words, if it has failed the item.
  std::string problem;
};

/// The actor in front of a line of stages, see `pipeline`.
///
/// It translates messages to facts, feeds these to a `stage_line`, and carries
/// out the decisions of the line: items travel to the actor of a stage as
/// requests. An answer finds its item by the number of the request, of which no
/// two are equal.
///
/// Requests that are under way refer to the pipeline. So when the last
/// reference goes, the only items left are items whose requests were dropped,
/// which fail.
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

  /// Where the source is the last of the members, if there is one.
  pipeline_actor(caf::actor_config& cfg, std::vector<member> members,
                 bool has_source, pipeline_options options);

  // -- called by users, through pipeline --------------------------------------

  /// Watches its members, and has the source asked, if there is one.
  /// @pre no other thread knows the pipeline
  void begin();

  pipeline_stats stats();

  /// How many items the first stage takes.
  std::size_t credit() const noexcept {
    return line_.stage(0).credit;
  }

  const char* kind() const noexcept override {
    return "pipeline";
  }

  /// As a worker, a pipeline has room for as many messages as items.
  libpool::room room() const noexcept override {
    return {credit(), false};
  }

  // -- called by CAF, stages and timers ---------------------------------------

  const char* name() const override {
    return options_.name.c_str();
  }

  void unreachable() override;

  /// The source may be asked now.
  void open(execution_context* host);

  void worker_died(worker_number number, const caf::error& reason,
                   execution_context* host) override;

private:
  using host_ptr = execution_context*;

  /// The number of no thread.
  static constexpr auto no_thread = static_cast<std::size_t>(-1);

  // -- facts, in pipeline_actor.cpp -------------------------------------------

  void received(caf::mailbox_element_ptr element, host_ptr host) override;
  void handled_all(host_ptr host) override;
  void received_from(tracked_element& outer, caf::mailbox_element_ptr element,
                     host_ptr host);
  void submitted(caf::mailbox_element_ptr element, host_ptr host);
  caf::error objection(caf::mailbox_element& element) const;
  bool take_content(pipeline_item& item, caf::mailbox_element& from);
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
  bool request(pipeline_item& item, const member& from, caf::message content,
               host_ptr host);
  void pull(std::size_t many, host_ptr host);
  void settle(pipeline_item& item, const line_decision& by, host_ptr host);
  void failed(pipeline_item& item, std::size_t stage, host_ptr host);
  caf::error stage_error(std::size_t stage, const std::string& problem) const;
  void refuse(pipeline_item& item, errc why, host_ptr host);
  void refuse(caf::mailbox_element& element, caf::message content,
              caf::error why, host_ptr host);

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
  void end(const caf::error& reason, const caf::message& to_drainers,
           host_ptr host);
  pipeline_stats collect_stats() const;

  bool has_source() const noexcept {
    return members_.size() > line_.size();
  }

  caf::strong_actor_ptr me() const;
  pipeline_item& new_item();
  void recycle(pipeline_item& item);
  std::uint64_t next_number(const pipeline_item& item) noexcept;

  /// The number of the handling thread.
  std::atomic<std::size_t> handling_{no_thread};

  // The members below belong to the handling thread.

  const pipeline_options options_;
  std::vector<member> members_;
  stage_line line_;
  std::vector<line_decision> batch_;

  std::vector<std::unique_ptr<pipeline_item>> items_; // by slots
  std::vector<pipeline_item*> free_;
  std::uint64_t requests_ = 0;
  std::uint64_t objections_ = 0; // to messages that were not even offered
  bool owes_report_ = false;     // of room, to pools that found none

  std::vector<std::string> losses_; // why stages are lost
  caf::error failure_;              // the first of a stage or the source
  bool was_drained_ = false;
  std::optional<caf::error> exit_; // why it has ended at once
  bool ended_ = false;
  std::vector<return_path> drainers_;
};

} // namespace libpool

#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// An item (message) that passes through the stages of a pipeline. The caller
/// of `stage_line` owns the item.
struct line_item {
  /// State of an item.
  enum class condition : std::uint8_t {
    fresh,   ///< Not in the pipeline: new, or settled.
    waiting, ///< Waits for room in the first stage.
    asked,   ///< Its stage was asked to handle it, and has not answered.
    ready,   ///< Handled by its stage, and has not left the stage yet.
  };

  /// Number of the item in the order of acceptance, from 1; 0: not accepted.
  std::uint64_t number = 0;
  /// Index of the stage that the item is in, from 0.
  std::size_t stage = 0;
  /// State of the item.
  condition is = condition::fresh;
  /// Links of the item in the list of its stage, or in the list of items that
  /// wait for room in the first stage.
  boost::intrusive::list_member_hook<> hook;
};

/// Action that a `stage_line`, the state machine of a pipeline, requests from
/// its caller, about an item or a stage.
struct line_decision {
  /// Actions that the caller of `stage_line` must carry out.
  enum class kind : std::uint8_t {
    /// `item` was accepted, and the caller may inform its sender.
    accept,
    /// Let `stage` handle `item`, then call `stage_line::answered` or `failed`.
    /// If no client wants the result any more, call `cancelled` instead.
    ask,
    /// `item` has the outcome `how`. If the item failed, `stage` is the stage
    /// in which it failed. If the item was refused, `why` is the reason. The
    /// caller may destroy or reuse the item.
    settle,
    /// Request `many` items from the source of the pipeline. For each of them,
    /// call `stage_line::supplied` when it comes, or `withheld` if it will not
    /// come.
    pull,
    /// `stage` has no items, and will get no more items. This decision is made
    /// once for each stage, in the order of the stages.
    stage_over,
  };

  /// Action that the caller must carry out.
  kind is = kind::accept;
  /// Outcome of `item`; used only if `is` is `settle`.
  outcome how = outcome::completed;
  /// Reason why `item` was refused; errc{} for other outcomes.
  errc why{};
  /// Item that the decision is about; nullptr: none.
  line_item* item = nullptr;
  /// Index of the stage that the decision is about, from 0.
  std::size_t stage = 0;
  /// Number of items to request from the source; used only if `is` is `pull`.
  std::size_t many = 0;
};

/// State machine at the core of every pipeline: receives facts about items, and
/// decides where the items go. Each stage has a credit: the maximum number of
/// items in the stage. An item is in a stage while the stage handles it, and
/// then until the next stage has room for it. Therefore a pipeline never holds
/// more items than the sum of the credits, and no stage is asked to handle more
/// items at once than its credit.
///
/// Order:   if `ordered`, items leave each stage in the order in which they
///          were accepted; otherwise in the order in which they were handled.
///          The caller has to carry out decisions in the order in which they
///          were made.
/// Cost:    O(1) for each stage that an item goes through, independent of the
///          number of items; `lost` and `abandoned` cost O(items that they
///          end). Memory is allocated only until `decisions` has grown.
/// Threads: one at a time.
/// Errors:  facts about items that are not expected are ignored.
class LIBPOOL_EXPORT stage_line {
public:
  /// Options of a pipeline.
  struct options {
    /// Credits of the stages: the maximum number of items in each stage, at
    /// least 1.
    std::vector<std::size_t> credits;
    /// Whether items leave each stage in the order in which they were accepted.
    bool ordered = false;
    /// Whether the pipeline has a source from which it requests items.
    bool pulls = false;
    /// Maximum number of items that wait for room in the first stage; default:
    /// 0. If this number is reached, further items are refused.
    std::size_t max_waiting = 0;
  };

  /// State and counts of one stage of the pipeline.
  struct stage_record {
    /// Maximum number of items in the stage.
    std::size_t credit = 0;
    /// Number of items in the stage now.
    std::size_t held = 0;
    /// Highest number of items in the stage so far.
    std::size_t most_held = 0;
    /// Number of items that the stage has handled without an error.
    std::uint64_t answered = 0;
    /// Number of items that failed in the stage.
    std::uint64_t failed = 0;
    /// Whether the stage will never answer again (see `stage_line::lost`), and
    /// so handles no more items.
    bool is_lost = false;
  };

  /// State and counts of the whole pipeline.
  struct record {
    /// Number of items that the pipeline has accepted.
    std::uint64_t accepted = 0;
    /// Number of items that the pipeline has refused.
    std::uint64_t refused = 0;
    /// Number of items that passed all stages.
    std::uint64_t completed = 0;
    /// Number of items that failed in any stage.
    std::uint64_t failed = 0;
    /// Number of items that were cancelled.
    std::uint64_t cancelled = 0;
    /// Number of items in all stages now.
    std::size_t in_line = 0;
    /// Highest number of items in all stages so far.
    std::size_t most_in_line = 0;
  };

  /// Makes a pipeline without items.
  /// @pre `setup` has at least one stage, and each credit is at least 1
  explicit stage_line(options setup);

  stage_line(const stage_line&) = delete;
  stage_line& operator=(const stage_line&) = delete;

  /// Destroys the pipeline, which may still have items.
  /// @pre these items still exist
  ~stage_line();

  // -- facts ------------------------------------------------------------------

  /// Opens the pipeline. If the pipeline has a source, requests items from it
  /// by the decision `pull`.
  void opened();

  /// Handles a new item from a client: accepts the item, lets it wait for room
  /// in the first stage, or refuses it.
  void offered(line_item& item);

  /// Accepts an item that was requested from the source. An item that was not
  /// requested is treated like an item from a client (see `offered`).
  void supplied(line_item& item);

  /// Records that the source will not supply `many` of the requested items.
  void withheld(std::size_t many = 1);

  /// Records that the stage of the item has handled it. The item then leaves
  /// the stage when the next stage has room. If the pipeline is ordered,
  /// earlier items leave first.
  void answered(line_item& item);

  /// Records that the stage of the item could not handle it. The item fails,
  /// and leaves the pipeline.
  void failed(line_item& item);

  /// Cancels the item, because no client wants its result any more: an item
  /// that waits for room in the first stage, or an item that a stage is to be
  /// asked to handle. For the latter, called instead of carrying out the
  /// decision `ask`.
  void cancelled(line_item& item);

  /// Records that the stage with the index `stage` will never answer again.
  /// Items that the stage was asked to handle fail, and so do all items that
  /// come to the stage later. The pipeline accepts no more items.
  void lost(std::size_t stage);

  /// Closes the pipeline: no more items are accepted, except items that were
  /// already requested from the source. Items that wait for room in the first
  /// stage are refused.
  void closed();

  /// Closes the pipeline, and ends all its items at once: items that wait for
  /// room in the first stage are refused, other items are cancelled.
  void abandoned();

  // -- questions --------------------------------------------------------------

  /// Whether the pipeline has ended: no stage has items, and no more items will
  /// come.
  bool is_over() const noexcept {
    return over_ == stages_.size();
  }

  /// Whether the pipeline accepts no more items, except items that were already
  /// requested from the source.
  bool is_closed() const noexcept {
    return is_closed_;
  }

  /// Whether a new item from a client would be refused now, because the first
  /// stage has no room, and the maximum number of items waits for it.
  bool is_full() const noexcept {
    return room(0) == 0 && waiting_.size() >= max_waiting_;
  }

  /// Returns the number of stages that have ended, counted from the first
  /// stage. A stage has ended if it has no items, and will get no more items.
  std::size_t stages_over() const noexcept {
    return over_;
  }

  /// Returns the number of items that were requested from the source and may
  /// still come.
  std::size_t pulled() const noexcept {
    return pulled_;
  }

  /// Returns the number of items that wait for room in the first stage, and
  /// were not accepted yet.
  std::size_t waiting() const noexcept {
    return waiting_.size();
  }

  /// Returns the number of stages.
  std::size_t size() const noexcept {
    return stages_.size();
  }

  /// Returns the state and the counts of the stage with the index `i`, from 0.
  const stage_record& stage(std::size_t i) const noexcept {
    return stages_[i].books;
  }

  /// Returns the state and the counts of the whole pipeline.
  const record& books() const noexcept {
    return books_;
  }

  /// Returns the decisions that were made since the caller last cleared the
  /// vector. The caller carries them out in order, and then clears the vector.
  std::vector<line_decision>& decisions() noexcept {
    return decisions_;
  }

private:
  using condition = line_item::condition;
  using item_list = boost::intrusive::list<
    line_item,
    boost::intrusive::member_hook<
      line_item, boost::intrusive::list_member_hook<>, &line_item::hook>>;

  struct stage_state {
    stage_record books;
    /// Items that the stage was asked to handle, in the order in which they
    /// came. If the pipeline is ordered, also handled items that have not left
    /// the stage.
    item_list items;
    /// Handled items that have not left the stage, in the order in which they
    /// were handled. Always empty if the pipeline is ordered: `items` then has
    /// them.
    item_list ready;
  };

  std::size_t room(std::size_t stage) const noexcept;
  void count_accepted(line_item& item) noexcept;
  void accept(line_item& item);
  void enter(line_item& item, std::size_t stage);
  line_item* first_to_leave(std::size_t stage) noexcept;
  bool can_leave(std::size_t stage) const noexcept;
  void leave(line_item& item);
  void take_out(line_item& item);
  bool is_asked(const line_item& item) const noexcept;
  void let_move(std::size_t stage);
  bool move_from(std::size_t stage);
  void take_more();
  void fail_asked(stage_state& where);
  void end_early(line_item& item, outcome outcome);
  void cancel_all(item_list& items);
  void refuse_waiting();
  void settle(line_item& item, outcome outcome, errc why = errc{});
  void look_for_end();

  const bool ordered_;
  const bool pulls_;
  const std::size_t max_waiting_;
  std::vector<stage_state> stages_;
  item_list waiting_;
  std::size_t pulled_ = 0;
  std::size_t over_ = 0; // number of stages that are over, from the first
  bool is_closed_ = false;
  record books_;
  std::vector<line_decision> decisions_;
};

} // namespace libpool

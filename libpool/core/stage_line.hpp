#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// An item of a pipeline. The caller of `stage_line` owns the item.
struct line_item {
  /// State of an item.
  enum class condition : std::uint8_t {
    fresh,   ///< Not in the line.
    waiting, ///< Waits for room in the first stage.
    asked,   ///< Its stage was asked to handle the item.
    ready,   ///< Handled by its stage, and not moved on yet.
  };

  /// Number of the item in the order of acceptance, from 1; 0: not accepted.
  std::uint64_t number = 0;
  /// Index of the stage that holds the item, from 0.
  std::size_t stage = 0;
  /// State of the item.
  condition is = condition::fresh;
  /// Hook for the list that has the item.
  boost::intrusive::list_member_hook<> hook;
};

/// Decision of a `stage_line` about an item or a stage. The caller carries out
/// the decision.
struct line_decision {
  /// Kinds of decisions.
  enum class kind : std::uint8_t {
    /// `item` was accepted, and the caller may inform its sender.
    accept,
    /// Ask `stage` to handle `item`, and report `answered` or `failed`. If no
    /// client wants the item, report `cancelled` instead of asking.
    ask,
    /// `item` was settled with the outcome `how`. If the item failed, `stage`
    /// is the stage in which it failed. If the item was refused, `why` is the
    /// reason. The line does not use the item any more.
    settle,
    /// Ask the source for `many` items, and report `supplied` or `withheld` for
    /// each of them.
    pull,
    /// `stage` has no items, and will get no more items. Made once for each
    /// stage, in the order of the stages.
    stage_over,
  };

  /// Kind of the decision.
  kind is = kind::accept;
  /// Outcome of `item` in a decision to settle.
  outcome how = outcome::completed;
  /// Reason why `item` was refused; not set for other outcomes.
  errc why{};
  /// Item that the decision is about; nullptr: none.
  line_item* item = nullptr;
  /// Index of the stage that the decision is about.
  std::size_t stage = 0;
  /// Number of items to request in a decision to pull.
  std::size_t many = 0;
};

/// The core of every pipeline: a state machine that receives facts about items,
/// and decides where the items go. Each stage has a credit: the maximum number
/// of items that the stage holds. A stage holds the items that it was asked to
/// handle, and the handled items that have not moved on. Therefore a line never
/// holds more items than the sum of the credits, and no stage is asked to
/// handle more items at once than its credit.
///
/// Order:   if `ordered`, items leave each stage in the order in which they
///          were accepted; otherwise in the order in which they were handled.
///          The caller has to carry out decisions in the order in which they
///          were made.
/// Cost:    O(1) for each stage that an item goes through, independent of the
///          number of items; `lost` and `abandoned` cost O(items that they
///          end). Memory is allocated only until `decisions` has grown.
/// Threads: one at a time.
/// Errors:  facts about items that the line does not expect are ignored.
class stage_line {
public:
  /// Options of a line.
  struct options {
    /// Credit of each stage, at least 1.
    std::vector<std::size_t> credits;
    /// Whether items leave each stage in the order in which they were accepted.
    bool ordered = false;
    /// Whether the line has a source.
    bool pulls = false;
    /// Maximum number of items that wait for room in the first stage; default:
    /// 0. Further items are refused.
    std::size_t max_waiting = 0;
  };

  /// State and counts of a stage.
  struct stage_record {
    /// Maximum number of items in the stage.
    std::size_t credit = 0;
    /// Number of items in the stage now.
    std::size_t held = 0;
    /// Highest number of items in the stage so far.
    std::size_t most_held = 0;
    /// Number of items that the stage has answered.
    std::uint64_t answered = 0;
    /// Number of items that failed in the stage.
    std::uint64_t failed = 0;
    /// Whether the stage was lost, and so handles no more items.
    bool is_lost = false;
  };

  /// State and counts of the line.
  struct record {
    /// Number of accepted items.
    std::uint64_t accepted = 0;
    /// Number of refused items.
    std::uint64_t refused = 0;
    /// Number of items that passed all stages.
    std::uint64_t completed = 0;
    /// Number of items that failed.
    std::uint64_t failed = 0;
    /// Number of items cancelled.
    std::uint64_t cancelled = 0;
    /// Number of items in the line now.
    std::size_t in_line = 0;
    /// Highest number of items in the line so far.
    std::size_t most_in_line = 0;
  };

  /// Makes a line without items.
  /// @pre at least one stage, and each credit at least 1
  explicit stage_line(options how);

  stage_line(const stage_line&) = delete;
  stage_line& operator=(const stage_line&) = delete;

  /// @pre all items that the line knows outlive the line
  ~stage_line();

  // -- facts ------------------------------------------------------------------

  /// Opens the line. If the line has a source, decides to pull items from the
  /// source.
  void opened();

  /// Handles `item`, which comes from a client: accepts `item`, lets it wait,
  /// or refuses it.
  void offered(line_item& item);

  /// Accepts `item`, which was requested from the source. An item that was not
  /// requested is handled as if passed to `offered`.
  void supplied(line_item& item);

  /// Records that the source will not give `many` of the requested items.
  void withheld(std::size_t many = 1);

  /// Records that the stage of `item` has handled `item`, which moves on if
  /// there is room.
  void answered(line_item& item);

  /// Records that the stage of `item` could not handle `item`, which fails.
  void failed(line_item& item);

  /// Cancels `item`, because no client wants it any more. Called instead of
  /// carrying out the decision to ask the stage.
  void cancelled(line_item& item);

  /// Records that the stage will never answer again. The items that the stage
  /// was asked to handle fail, and so do all items that come to the stage
  /// later. The line accepts no more items.
  void lost(std::size_t stage);

  /// Closes the line, which accepts no more items except those requested from
  /// the source.
  void closed();

  /// Closes the line, and ends all its items at once: waiting items are
  /// refused, other items are cancelled.
  void abandoned();

  // -- questions --------------------------------------------------------------

  /// Whether the line has no items in its stages, and will get no more items.
  bool is_over() const noexcept {
    return over_ == stages_.size();
  }

  /// Whether the line accepts no more items.
  bool is_closed() const noexcept {
    return is_closed_;
  }

  /// Whether an item would be refused for lack of room if it were offered.
  bool is_full() const noexcept {
    return room(0) == 0 && waiting_.size() >= max_waiting_;
  }

  /// Returns the number of stages, counted from the first, that have no items
  /// and will get no more items.
  std::size_t stages_over() const noexcept {
    return over_;
  }

  /// Returns the number of items that were requested from the source and may
  /// still come.
  std::size_t pulled() const noexcept {
    return pulled_;
  }

  /// Returns the number of items that wait to be accepted.
  std::size_t waiting() const noexcept {
    return waiting_.size();
  }

  /// Returns the number of stages.
  std::size_t size() const noexcept {
    return stages_.size();
  }

  /// Returns the state and the counts of stage `i`.
  const stage_record& stage(std::size_t i) const noexcept {
    return stages_[i].books;
  }

  /// Returns the state and the counts of the line.
  const record& books() const noexcept {
    return books_;
  }

  /// Returns the decisions so far. The caller carries out the decisions in
  /// order, and clears the vector.
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
    /// came. If the line is ordered, also the handled items that have not moved
    /// on.
    item_list items;
    /// Handled items that have not moved on, in the order in which they were
    /// handled. Empty if the line is ordered.
    item_list ready;
  };

  std::size_t room(std::size_t stage) const noexcept;
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
  void end_early(line_item& item, outcome how);
  void cancel_all(item_list& items);
  void refuse_waiting();
  void settle(line_item& item, outcome how, errc why = errc{});
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

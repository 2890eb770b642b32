#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// An item that goes through the stages of a line. Belongs to the caller.
struct line_item {
  /// State of an item.
  enum class condition : std::uint8_t {
    fresh,   ///< Not known to the line.
    waiting, ///< Waits for room in the first stage.
    asked,   ///< Its stage was asked to handle it.
    ready,   ///< Handled; the next stage has no room.
  };

  /// Number of the item, from 1 in the order of acceptance; 0: not accepted.
  std::uint64_t number = 0;
  /// Index of the stage that holds the item, from 0.
  std::size_t stage = 0;
  /// State of the item.
  condition is = condition::fresh;
  /// Hook for the list of the line that the item is in.
  boost::intrusive::list_member_hook<> hook;
};

/// A decision about an item or a stage, which the caller carries out.
struct line_decision {
  /// Kinds of decisions.
  enum class kind : std::uint8_t {
    /// `item` was accepted: its sender may be told.
    accept,
    /// Ask `stage` to handle `item`, and report `answered` or `failed`. If no
    /// client wants the item, report `cancelled` instead of asking.
    ask,
    /// `item` was settled with the outcome `how`, in `stage` if it failed.
    /// `why` is the reason if it was refused. The line does not know the item
    /// any more.
    settle,
    /// Ask the source for `many` items, and report `supplied` or `withheld` for
    /// each of them.
    pull,
    /// No item will ever come to `stage` again. Made for one stage after the
    /// other, from the first.
    stage_over,
  };

  /// Kind of the decision.
  kind is = kind::accept;
  /// Outcome of `item`, if it is settled.
  outcome how = outcome::completed;
  /// Reason of the outcome; not set if the item was completed.
  errc why{};
  /// Item that the decision is about; nullptr: none.
  line_item* item = nullptr;
  /// Index of the stage that the decision is about.
  std::size_t stage = 0;
  /// Number of items to ask the source for.
  std::size_t many = 0;
};

/// The core of every pipeline: a state machine that is told facts about items
/// and decides where they go. Each stage has a credit: the maximum number of
/// items that it holds. A stage holds the items that it was asked to handle,
/// and the items that it has handled while the next stage had no room. So a
/// line never holds more items than the sum of the credits, and no stage is
/// asked for more items than its credit.
///
/// Order:   if `ordered`, items leave each stage in the order in which they
///          were accepted; otherwise in the order in which they were handled.
///          The caller has to carry out decisions in the order in which they
///          were made.
/// Cost:    O(1) for each stage that an item goes through, independent of the
///          number of items; `lost` and `abandoned` cost O(items that they
///          end). Memory is allocated only until `decisions` has grown.
/// Threads: one at a time.
/// Errors:  facts about items that the line does not expect change nothing.
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
    /// Maximum number of items that wait for room in the first stage; further
    /// items are refused.
    std::size_t max_waiting = 0;
  };

  /// The state and the counts of a stage.
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
    /// Whether the stage can handle no more items.
    bool is_lost = false;
  };

  /// The state and the counts of the line.
  struct record {
    /// Number of items accepted.
    std::uint64_t accepted = 0;
    /// Number of items refused.
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

  /// @pre at least one stage, and each credit at least 1
  explicit stage_line(options how);

  stage_line(const stage_line&) = delete;
  stage_line& operator=(const stage_line&) = delete;

  /// @pre all items that the line knows outlive it
  ~stage_line();

  // -- facts ------------------------------------------------------------------

  /// The line may begin, and asks the source for items, if there is a source.
  void opened();

  /// A client wants `item` handled.
  void offered(line_item& item);

  /// The source has given an item that it was asked for.
  void supplied(line_item& item);

  /// The source was asked for `many` items that it does not give.
  void withheld(std::size_t many = 1);

  /// The stage has handled `item`.
  void answered(line_item& item);

  /// The stage could not handle `item`.
  void failed(line_item& item);

  /// No client wants `item` any more. The decision to ask its stage was not
  /// carried out.
  void cancelled(line_item& item);

  /// The stage will never answer again: the items that it was asked to handle
  /// fail, and so do all items that come to the stage later. The line accepts
  /// no more items.
  void lost(std::size_t stage);

  /// The line accepts no more items, except items that the source was asked
  /// for.
  void closed();

  /// The line ends at once: all its items are cancelled.
  void abandoned();

  // -- questions --------------------------------------------------------------

  /// Whether no item will ever come to any stage again.
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

  /// Returns the number of stages, from the first, that will never pass on an
  /// item again.
  std::size_t stages_over() const noexcept {
    return over_;
  }

  /// Returns the number of items that the source was asked for and that are
  /// still expected.
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

  /// Returns the record of a stage, by its index.
  const stage_record& stage(std::size_t i) const noexcept {
    return stages_[i].books;
  }

  /// Returns the record of the line.
  const record& books() const noexcept {
    return books_;
  }

  /// Returns the decisions, which the caller carries out and clears.
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
    /// came. If the line is ordered, also the items that are ready.
    item_list items;
    /// Items that are ready, in the order in which they were handled. Empty if
    /// the line is ordered.
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

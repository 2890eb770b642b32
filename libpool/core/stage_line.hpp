#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/errc.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Something that goes through the stages of a line. Belongs to the caller.
struct line_item {
  enum class condition : std::uint8_t {
    fresh,   ///< The line does not know it.
    waiting, ///< For room in the first stage.
    asked,   ///< The stage has been asked to do something about it.
    ready,   ///< The stage has answered, and the next one has no room.
  };

  /// The number of the item, counted from 1 as it is accepted; 0 until then.
  std::uint64_t number = 0;
  /// Where it is, from 0.
  std::size_t stage = 0;
  condition is = condition::fresh;
  boost::intrusive::list_member_hook<> hook;
};

/// A decision about an item or a stage, to be carried out by the caller.
struct line_decision {
  enum class kind : std::uint8_t {
    /// `item` is in the line now: its sender may be told.
    accept,
    /// Ask `stage` to do something about `item`, and tell: `answered` or
    /// `failed`.
    ask,
    /// `item` has come to its end, by `how`; in `stage`, if it has failed. The
    /// line knows it no more. `why` says why it was refused.
    settle,
    /// Ask the source for so many items, and tell about each: `supplied` or
    /// `withheld`.
    pull,
    /// Nothing will ever come to `stage` again. Stages are over in order.
    stage_over,
  };

  kind is = kind::accept;
  outcome how = outcome::completed;
  errc why{};
  line_item* item = nullptr;
  std::size_t stage = 0;
  std::size_t many = 0;
};

/// The heart of every pipeline: a state machine that is told facts about items
/// and decides where they go. Each stage has a credit, which is how many items
/// it may hold: items that it was asked about, and items that it has answered
/// while the next stage had no room. So a line never holds more than the sum of
/// the credits, and no stage is asked for more than it has credit for.
///
/// Order:   `ordered`: items leave each stage in the order in which they were
///          accepted. Otherwise in the order in which they were answered.
///          Decisions are to be carried out in the order in which they are
///          made.
/// Cost:    O(1) for each stage that an item goes through, however many there
///          are; `lost` and `abandoned` O(items that end by that). Nothing is
///          allocated once `decisions` has grown.
/// Threads: one at a time.
/// Errors:  facts about items that the line does not expect change nothing.
class stage_line {
public:
  struct options {
    /// The credit of each stage, at least 1.
    std::vector<std::size_t> credits;
    bool ordered = false;
    /// Whether there is a source.
    bool pulls = false;
    /// How many items that find no room wait for it; others are refused.
    std::size_t max_waiting = 0;
  };

  /// The state and the counts of a stage.
  struct stage_record {
    std::size_t credit = 0;
    std::size_t held = 0;
    std::size_t most_held = 0;
    std::uint64_t answered = 0;
    std::uint64_t failed = 0;
    /// Whether it can do nothing any more.
    bool is_lost = false;
  };

  /// The state and the counts of the line.
  struct record {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
    std::uint64_t cancelled = 0;
    std::size_t in_line = 0;
    std::size_t most_in_line = 0;
  };

  /// @pre at least one stage, and no credit of 0
  explicit stage_line(options how);

  stage_line(const stage_line&) = delete;
  stage_line& operator=(const stage_line&) = delete;

  /// @pre items that it knows outlive it
  ~stage_line();

  // -- facts ------------------------------------------------------------------

  /// The line may begin: pulls, if there is a source.
  void opened();

  /// A client wants `item` done.
  void offered(line_item& item);

  /// The source has given an item that it was asked for.
  void supplied(line_item& item);

  /// The source gives nothing for so many of the items it was asked for.
  void withheld(std::size_t many = 1);

  /// The stage has done with `item`.
  void answered(line_item& item);

  /// The stage could not do with `item`.
  void failed(line_item& item);

  /// No client wants `item` any more, and its stage was not really asked.
  void cancelled(line_item& item);

  /// The stage will never answer again: items that it was asked about fail, and
  /// so do all that come there. The line accepts no more items.
  void lost(std::size_t stage);

  /// The line is to accept no more items, but for items that the source was
  /// asked for.
  void closed();

  /// The line ends at once: all its items are cancelled.
  void abandoned();

  // -- questions --------------------------------------------------------------

  /// Whether nothing will ever come to any stage again.
  bool is_over() const noexcept {
    return over_ == stages_.size();
  }

  bool is_closed() const noexcept {
    return is_closed_;
  }

  /// Whether an item that is offered would be refused for want of room.
  bool is_full() const noexcept {
    return room(0) == 0 && waiting_.size() >= max_waiting_;
  }

  /// How many stages, from the first, will never pass on an item again.
  std::size_t stages_over() const noexcept {
    return over_;
  }

  /// How many items the source was asked for and has not given.
  std::size_t pulled() const noexcept {
    return pulled_;
  }

  /// How many items wait to be accepted.
  std::size_t waiting() const noexcept {
    return waiting_.size();
  }

  std::size_t size() const noexcept {
    return stages_.size();
  }

  const stage_record& stage(std::size_t i) const noexcept {
    return stages_[i].books;
  }

  const record& books() const noexcept {
    return books_;
  }

  /// The decisions to carry out; the caller clears them.
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
    /// The items of the stage in the order in which they came, with the ready
    /// ones among them where the line is ordered.
    item_list items;
    /// In the order in which they were answered.
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
  std::size_t over_ = 0; // so many of the first stages are
  bool is_closed_ = false;
  record books_;
  std::vector<line_decision> decisions_;
};

} // namespace libpool

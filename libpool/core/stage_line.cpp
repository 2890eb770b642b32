#include "libpool/core/stage_line.hpp"

#include <algorithm>
#include <cassert>

namespace libpool {

stage_line::stage_line(options setup)
  : ordered_(setup.ordered),
    pulls_(setup.pulls),
    max_waiting_(setup.max_waiting),
    stages_(setup.credits.size()) {
  assert(!setup.credits.empty());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    assert(setup.credits[i] > 0);
    stages_[i].books.credit = setup.credits[i];
  }
}

stage_line::~stage_line() {
  waiting_.clear();
  for (auto& each : stages_) {
    each.items.clear();
    each.ready.clear();
  }
}

// -- facts --------------------------------------------------------------------

void stage_line::opened() {
  take_more();
}

void stage_line::offered(line_item& item) {
  if (is_closed_) {
    settle(item, outcome::refused, errc::pool_closed);
  } else if (room(0) > 0) {
    accept(item);
  } else if (waiting_.size() < max_waiting_) {
    item.is = condition::waiting;
    waiting_.push_back(item);
  } else {
    settle(item, outcome::refused, errc::queue_full);
  }
}

void stage_line::supplied(line_item& item) {
  if (pulled_ == 0)
    return offered(item);
  --pulled_;
  accept(item);
  take_more();
  look_for_end();
}

void stage_line::withheld(std::size_t many) {
  pulled_ -= std::min(many, pulled_);
  take_more();
  look_for_end();
}

void stage_line::answered(line_item& item) {
  if (!is_asked(item))
    return;
  auto& stage = stages_[item.stage];
  ++stage.books.answered;
  item.is = condition::ready;
  if (!ordered_) {
    stage.items.erase(stage.items.iterator_to(item));
    stage.ready.push_back(item);
  }
  let_move(item.stage);
  look_for_end();
}

void stage_line::failed(line_item& item) {
  if (is_asked(item))
    end_early(item, outcome::failed);
}

void stage_line::cancelled(line_item& item) {
  if (is_asked(item))
    return end_early(item, outcome::cancelled);
  if (item.is != condition::waiting)
    return;
  waiting_.erase(waiting_.iterator_to(item));
  count_accepted(item);
  settle(item, outcome::cancelled);
}

void stage_line::lost(std::size_t stage) {
  auto& where = stages_[stage];
  if (where.books.is_lost || stage < over_)
    return;
  where.books.is_lost = true;
  is_closed_ = true;
  refuse_waiting();
  fail_asked(where);
  let_move(stage);
  look_for_end();
}

void stage_line::closed() {
  is_closed_ = true;
  refuse_waiting();
  look_for_end();
}

void stage_line::abandoned() {
  is_closed_ = true;
  pulled_ = 0;
  refuse_waiting();
  for (auto& each : stages_) {
    cancel_all(each.items);
    cancel_all(each.ready);
  }
  look_for_end();
}

// -- moving -------------------------------------------------------------------

/// Returns the number of further items that the stage can hold. Items requested
/// from the source already count in the first stage.
std::size_t stage_line::room(std::size_t stage) const noexcept {
  auto& books = stages_[stage].books;
  auto taken = books.held + (stage == 0 ? pulled_ : 0);
  return books.credit - std::min(taken, books.credit);
}

void stage_line::count_accepted(line_item& item) noexcept {
  item.number = ++books_.accepted;
  ++books_.in_line;
}

void stage_line::accept(line_item& item) {
  count_accepted(item);
  books_.most_in_line = std::max(books_.most_in_line, books_.in_line);
  decisions_.push_back({line_decision::kind::accept, {}, {}, &item, 0, 0});
  enter(item, 0);
}

void stage_line::enter(line_item& item, std::size_t stage) {
  auto& where = stages_[stage];
  item.stage = stage;
  if (where.books.is_lost)
    return settle(item, outcome::failed);
  item.is = condition::asked;
  where.items.push_back(item);
  ++where.books.held;
  where.books.most_held = std::max(where.books.most_held, where.books.held);
  decisions_.push_back({line_decision::kind::ask, {}, {}, &item, stage, 0});
}

line_item* stage_line::first_to_leave(std::size_t stage) noexcept {
  auto& where = stages_[stage];
  auto& items = ordered_ ? where.items : where.ready;
  return !items.empty() && items.front().is == condition::ready ? &items.front()
                                                                : nullptr;
}

bool stage_line::can_leave(std::size_t stage) const noexcept {
  auto next = stage + 1;
  return next == stages_.size() || room(next) > 0
         || stages_[next].books.is_lost;
}

void stage_line::leave(line_item& item) {
  take_out(item);
  if (item.stage + 1 == stages_.size())
    settle(item, outcome::completed);
  else
    enter(item, item.stage + 1);
}

void stage_line::take_out(line_item& item) {
  auto& where = stages_[item.stage];
  auto& items = ordered_ || item.is == condition::asked ? where.items
                                                        : where.ready;
  items.erase(items.iterator_to(item));
  --where.books.held;
}

bool stage_line::is_asked(const line_item& item) const noexcept {
  return item.is == condition::asked;
}

/// Moves items on after an item in `stage` may leave or has left. Items of
/// earlier stages move into the free room.
void stage_line::let_move(std::size_t stage) {
  for (auto i = stage; move_from(i) || i == stage; --i)
    if (i == 0)
      break;
  take_more();
}

/// Moves all items on that can leave the stage. Returns whether an item has
/// left.
bool stage_line::move_from(std::size_t stage) {
  auto has_moved = false;
  while (can_leave(stage)) {
    auto* first = first_to_leave(stage);
    if (first == nullptr)
      break;
    leave(*first);
    has_moved = true;
  }
  return has_moved;
}

/// Fills the first stage with waiting items, then requests items from the
/// source.
void stage_line::take_more() {
  if (is_closed_)
    return;
  while (room(0) > 0 && !waiting_.empty()) {
    auto& next = waiting_.front();
    waiting_.pop_front();
    accept(next);
  }
  auto many = pulls_ ? room(0) : 0;
  if (many == 0)
    return;
  pulled_ += many;
  decisions_.push_back({line_decision::kind::pull, {}, {}, nullptr, 0, many});
}

// -- ending -------------------------------------------------------------------

void stage_line::fail_asked(stage_state& where) {
  for (auto i = where.items.begin(); i != where.items.end();) {
    auto& each = *i++;
    if (each.is != condition::asked)
      continue;
    take_out(each);
    settle(each, outcome::failed);
  }
}

/// Settles an item in its stage. Other items may move into the free room.
void stage_line::end_early(line_item& item, outcome outcome) {
  take_out(item);
  settle(item, outcome);
  let_move(item.stage);
  look_for_end();
}

void stage_line::cancel_all(item_list& items) {
  while (!items.empty()) {
    auto& first = items.front();
    take_out(first);
    settle(first, outcome::cancelled);
  }
}

void stage_line::refuse_waiting() {
  while (!waiting_.empty()) {
    auto& first = waiting_.front();
    waiting_.pop_front();
    settle(first, outcome::refused, errc::pool_closed);
  }
}

void stage_line::settle(line_item& item, outcome outcome, errc why) {
  item.is = condition::fresh;
  if (outcome == outcome::refused)
    ++books_.refused;
  else
    --books_.in_line;
  if (outcome == outcome::completed)
    ++books_.completed;
  if (outcome == outcome::cancelled)
    ++books_.cancelled;
  if (outcome == outcome::failed) {
    ++books_.failed;
    ++stages_[item.stage].books.failed;
  }
  decisions_.push_back(
    {line_decision::kind::settle, outcome, why, &item, item.stage, 0});
}

/// Ends each stage that has no items and will get none.
void stage_line::look_for_end() {
  if (!is_closed_ || pulled_ > 0)
    return;
  for (; !is_over() && stages_[over_].books.held == 0; ++over_)
    decisions_.push_back(
      {line_decision::kind::stage_over, {}, {}, nullptr, over_, 0});
}

} // namespace libpool

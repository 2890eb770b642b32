#include "libpool/core/stage_line.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

using libpool::line_decision;
using libpool::line_item;
using libpool::outcome;
using libpool::stage_line;

namespace {

/// Draws a line of stages.
stage_line::options drawn_line() {
  stage_line::options result;
  result.credits = *rc::gen::resize(
    4, rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(
         rc::gen::inRange<std::size_t>(1, 4))));
  result.ordered = *rc::gen::arbitrary<bool>();
  result.pulls = *rc::gen::arbitrary<bool>();
  result.max_waiting = *rc::gen::inRange<std::size_t>(0, 3);
  return result;
}

/// An item, with the record that the witness keeps of it.
struct seen_item : line_item {
  static constexpr auto nowhere = static_cast<std::size_t>(-1);

  unsigned accepted = 0;
  unsigned settled = 0;
  std::size_t at = nowhere; // the stage that has it
  bool is_asked = false;
};

/// Tells a line facts, and keeps books of its own on what it decides.
class witness {
public:
  explicit witness(const stage_line::options& how)
    : how_(how),
      line_(how),
      asked_(how.credits.size()),
      held_(how.credits.size()),
      last_left_(how.credits.size()),
      lost_(how.credits.size()) {
    line_.opened();
    look();
  }

  void tell(std::uint8_t fact, std::uint8_t place) {
    switch (fact % 16) {
      case 0:
      case 1:
      case 2:
        line_.offered(fresh());
        break;
      case 3:
      case 4:
        if (pulled_ > 0)
          supply();
        break;
      case 5:
        if (pulled_ > 0 && place % 4 == 0)
          withhold();
        break;
      case 6:
        if (place == 0)
          line_.closed();
        break;
      case 7:
        if (place < 16)
          lose(place % lost_.size());
        break;
      case 8:
        if (place % 2 == 0)
          tell_of_asked(place, &stage_line::cancelled);
        else
          tell_of_any(place, &stage_line::cancelled);
        break;
      case 9:
      case 10:
        tell_of_asked(place, &stage_line::failed);
        break;
      case 11:
        tell_of_any(place, &stage_line::answered);
        break;
      default:
        tell_of_asked(place, &stage_line::answered);
    }
    look();
  }

  void finish() {
    line_.closed();
    look();
    while (pulled_ > 0) {
      supply();
      look();
    }
    for (std::uint8_t i = 0; !all_asked().empty(); ++i) {
      tell_of_asked(i, &stage_line::answered);
      look();
    }
    demand(line_.is_over(), "a closed line ends when all is answered");
    for (auto& each : items_)
      demand(each.settled == 1, "an offered item is settled once");
    auto& books = line_.books();
    demand(books.accepted == books.completed + books.failed + books.cancelled,
           "the books balance");
  }

private:
  static seen_item& seen(line_item* item) {
    return static_cast<seen_item&>(*item);
  }

  line_item& fresh() {
    return items_.emplace_back();
  }

  /// Perhaps of something that is long gone.
  void tell_of_any(std::uint8_t place, void (stage_line::*fact)(line_item&)) {
    if (items_.empty())
      return;
    auto& item = items_[place % items_.size()];
    forget(item);
    (line_.*fact)(item);
  }

  /// It is asked no more.
  void forget(seen_item& item) {
    if (!std::exchange(item.is_asked, false))
      return;
    auto& there = asked_[item.at];
    there.erase(std::find(there.begin(), there.end(), &item));
  }

  void supply() {
    --pulled_;
    line_.supplied(fresh());
  }

  void withhold() {
    --pulled_;
    line_.withheld();
  }

  void lose(std::size_t stage) {
    if (stage >= over_)
      lost_[stage] = true;
    line_.lost(stage);
  }

  std::vector<seen_item*> all_asked() const {
    std::vector<seen_item*> result;
    for (auto& each : asked_)
      result.insert(result.end(), each.begin(), each.end());
    return result;
  }

  void tell_of_asked(std::uint8_t place, void (stage_line::*fact)(line_item&)) {
    auto all = all_asked();
    if (all.empty())
      return;
    auto& item = *all[place % all.size()];
    forget(item);
    (line_.*fact)(item);
  }

  /// Checks the decisions, and then the present state.
  void look() {
    for (auto& each : line_.decisions())
      look(each);
    line_.decisions().clear();
    std::size_t in_line = 0;
    for (std::size_t i = 0; i < how_.credits.size(); ++i) {
      auto& stage = line_.stage(i);
      demand(stage.held <= how_.credits[i], "credit is kept");
      demand(stage.held == held_[i],
             "a stage holds the items that came and have not left");
      demand(i != 0 || stage.held + pulled_ <= how_.credits[i],
             "no more is pulled than there is room for");
      in_line += stage.held;
    }
    demand(in_line == line_.books().in_line, "all are in some stage");
    demand(in_line == 0 || !all_asked().empty(), "nothing is stuck");
    demand(line_.waiting() == 0 || line_.stage(0).held + pulled_ > 0,
           "nothing waits for nothing");
    demand(!how_.pulls || line_.is_closed()
             || line_.stage(0).held + pulled_ == how_.credits[0],
           "the source is asked for all that there is room for");
    can_move();
  }

  void can_move() const {
    for (std::size_t i = 0; i + 1 < how_.credits.size(); ++i)
      if (line_.stage(i + 1).held < how_.credits[i + 1] && !how_.ordered)
        demand(line_.stage(i).held == asked_[i].size(),
               "nothing waits for room that there is");
  }

  void look(const line_decision& decision) {
    using kind = line_decision::kind;
    if (decision.is == kind::accept)
      accepted(seen(decision.item));
    else if (decision.is == kind::ask)
      asked(seen(decision.item), decision.stage);
    else if (decision.is == kind::settle)
      settled(seen(decision.item), decision);
    else if (decision.is == kind::pull)
      pulled(decision.many);
    else
      over(decision.stage);
  }

  void accepted(seen_item& item) {
    demand(++item.accepted == 1, "accepted once");
    demand(item.number == ++accepted_, "numbers count");
  }

  void asked(seen_item& item, std::size_t stage) {
    demand(stage >= over_, "nothing comes to a stage that is over");
    demand(!lost_[stage], "a lost stage is not asked");
    demand(item.accepted == 1 && item.settled == 0, "only items in the line");
    if (stage > 0)
      left(item, stage - 1);
    item.at = stage;
    item.is_asked = true;
    ++held_[stage];
    asked_[stage].push_back(&item);
  }

  void left(seen_item& item, std::size_t stage) {
    demand(item.at == stage, "only items that are there leave");
    demand(!item.is_asked, "only answered items leave");
    --held_[stage];
    demand(!how_.ordered || item.number > last_left_[stage],
           "items leave in order");
    last_left_[stage] = item.number;
  }

  void settled(seen_item& item, const line_decision& by) {
    demand(++item.settled == 1, "settled once");
    if (by.how == outcome::refused)
      return demand(item.accepted == 0, "an accepted item is not refused");
    if (by.how == outcome::cancelled && item.accepted == 0)
      return demand(item.number == ++accepted_,
                    "an item that has waited counts as accepted");
    demand(item.accepted == 1, "a settled item was accepted");
    if (by.how == outcome::completed) {
      demand(by.stage + 1 == how_.credits.size(), "all stages");
      return left(item, by.stage);
    }
    forget(item);
    if (item.at == by.stage)
      --held_[by.stage]; // a hole
    else
      failed_at_door(item, by);
  }

  void failed_at_door(seen_item& item, const line_decision& by) {
    demand(by.how == outcome::failed && lost_[by.stage], "only of lost stages");
    if (by.stage > 0)
      left(item, by.stage - 1);
    else
      demand(item.at == seen_item::nowhere, "it was on its way in");
  }

  void pulled(std::size_t many) {
    demand(how_.pulls && !line_.is_closed() && many > 0,
           "a line pulls only items that it may");
    pulled_ += many;
  }

  void over(std::size_t stage) {
    demand(stage == over_, "stages are over in order");
    ++over_;
    demand(held_[stage] == 0, "a stage that is over is empty");
    demand(pulled_ == 0, "and nothing can come");
  }

  static void demand(bool law, const char* text) {
    if (!law)
      RC_FAIL(std::string{text});
  }

  const stage_line::options how_;
  std::deque<seen_item> items_; // outlive the line
  stage_line line_;
  std::vector<std::vector<seen_item*>> asked_;
  std::vector<std::size_t> held_;
  std::vector<std::uint64_t> last_left_;
  std::vector<bool> lost_;
  std::size_t pulled_ = 0;
  std::size_t over_ = 0;
  std::uint64_t accepted_ = 0;
};

using fact = std::array<std::uint8_t, 2>;

std::vector<fact> drawn_facts() {
  auto any_fact = rc::gen::container<fact>(
    rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint8_t>()));
  return *rc::gen::scale(3.0, rc::gen::container<std::vector<fact>>(any_fact));
}

} // namespace

TEST_CASE("the stages of a pipeline obey all laws for any sequence of events") {
  CHECK(rc::check("all laws hold for any sequence of events", [] {
    witness w{drawn_line()};
    for (auto& each : drawn_facts())
      w.tell(each[0], each[1]);
    w.finish();
  }));
}

TEST_CASE(
  "the stages of a pipeline obey all laws in long sequences of events") {
  CHECK(rc::check("all laws hold for busy pipelines", [] {
    witness w{drawn_line()};
    std::mt19937_64 draw{*rc::gen::arbitrary<std::uint64_t>()};
    for (auto i = 0; i < 500; ++i)
      w.tell(static_cast<std::uint8_t>(draw()),
             static_cast<std::uint8_t>(draw()));
    w.finish();
  }));
}

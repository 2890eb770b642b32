#include "libpool/core/stage_line.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

using libpool::errc;
using libpool::line_decision;
using libpool::line_item;
using libpool::outcome;
using libpool::stage_line;

namespace {

/// A line and its items, which are named by letters, the first one by 'a'.
class world {
public:
  world(std::vector<std::size_t> credits, bool ordered, bool pulls = false,
        std::size_t max_waiting = 0)
    : line({std::move(credits), ordered, pulls, max_waiting}) {
    // nop
  }

  line_item& operator[](char name) {
    auto i = static_cast<std::size_t>(name - 'a');
    while (items.size() <= i)
      items.emplace_back();
    return items[i];
  }

  /// The decisions since the last call, for example "+a a0 b! pull2 over0".
  std::string said() {
    std::string result;
    for (auto& each : line.decisions())
      result += (result.empty() ? "" : " ") + text(each);
    line.decisions().clear();
    return result;
  }

  std::deque<line_item> items; // outlive the line
  stage_line line;

private:
  char name_of(const line_item* item) const {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (&items[i] == item)
        return static_cast<char>('a' + i);
    return '?';
  }

  std::string text(const line_decision& decision) const {
    using kind = line_decision::kind;
    const std::string name(1, name_of(decision.item));
    switch (decision.is) {
      case kind::accept:
        return "+" + name;
      case kind::ask:
        return name + std::to_string(decision.stage);
      case kind::settle:
        return name + how(decision);
      case kind::pull:
        return "pull" + std::to_string(decision.many);
      case kind::stage_over:
        return "over" + std::to_string(decision.stage);
    }
    return "?";
  }

  static std::string how(const line_decision& decision) {
    switch (decision.how) {
      case outcome::completed:
        return ".";
      case outcome::failed:
        return "!" + std::to_string(decision.stage);
      case outcome::cancelled:
        return "~";
      case outcome::refused:
        return decision.why == errc::queue_full ? "=full" : "=closed";
    }
    return "?";
  }
};

} // namespace

TEST_CASE("an item passes through all stages of a pipeline") {
  world w{{1, 1, 1}, false};
  w.line.offered(w['a']);
  CHECK(w.said() == "+a a0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a1");
  w.line.answered(w['a']);
  CHECK(w.said() == "a2");
  w.line.answered(w['a']);
  CHECK(w.said() == "a.");
  CHECK(w.line.books().completed == 1);
  CHECK(w.line.books().in_line == 0);
}

TEST_CASE("a stage keeps an answered item while the next stage is full") {
  world w{{1, 1}, false};
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.line.offered(w['b']);
  w.line.answered(w['b']);
  CHECK(w.said() == "+a a0 a1 +b b0");
  CHECK(w.line.is_full());
  w.line.offered(w['c']);
  CHECK(w.said() == "c=full");
  w.line.answered(w['a']);
  CHECK(w.said() == "a. b1");
  CHECK_FALSE(w.line.is_full());
  CHECK(w.line.books().most_in_line == 2);
  CHECK(w.line.books().refused == 1);
}

TEST_CASE("items leave a stage in the order of answers, or in the order of "
          "acceptance if the pipeline is ordered") {
  for (auto ordered : {false, true}) {
    CAPTURE(ordered);
    world w{{3, 3}, ordered};
    for (auto each : {'a', 'b', 'c'})
      w.line.offered(w[each]);
    w.said();
    w.line.answered(w['c']);
    w.line.answered(w['b']);
    CHECK(w.said() == (ordered ? "" : "c1 b1"));
    w.line.answered(w['a']);
    CHECK(w.said() == (ordered ? "a1 b1 c1" : "a1"));
  }
}

TEST_CASE("a failed item does not block later items of an ordered pipeline") {
  world w{{3, 3}, true};
  for (auto each : {'a', 'b', 'c'})
    w.line.offered(w[each]);
  w.line.answered(w['b']);
  w.said();
  w.line.failed(w['a']);
  CHECK(w.said() == "a!0 b1");
  CHECK(w.line.stage(0).failed == 1);
  CHECK(w.line.stage(0).held == 1);
}

TEST_CASE("an item waits if the first stage is full, and is refused if the "
          "queue is also full") {
  world w{{1}, false, false, 1};
  for (auto each : {'a', 'b', 'c'})
    w.line.offered(w[each]);
  CHECK(w.said() == "+a a0 c=full");
  CHECK(w.line.waiting() == 1);
  w.line.answered(w['a']);
  CHECK(w.said() == "a. +b b0");
  w.line.offered(w['c']);
  w.line.closed();
  CHECK(w.said() == "c=closed");
  w.line.answered(w['b']);
  CHECK(w.said() == "b. over0");
}

TEST_CASE(
  "a pipeline requests as many items from its source as it has room for") {
  world w{{2, 1}, false, true};
  w.line.opened();
  CHECK(w.said() == "pull2");
  w.line.supplied(w['a']);
  CHECK(w.said() == "+a a0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a1 pull1");
  w.line.supplied(w['b']);
  w.line.supplied(w['c']);
  w.line.answered(w['b']);
  CHECK(w.said() == "+b b0 +c c0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a. b1 pull1");
  w.line.withheld();
  CHECK(w.said() == "pull1"); // asked again, unless the line was closed
  w.line.closed();
  w.line.withheld();
  w.line.answered(w['c']);
  CHECK(w.said() == "");
  w.line.answered(w['b']);
  CHECK(w.said() == "b. c1 over0");
}

TEST_CASE("an item that was requested from the source is accepted even after "
          "the pipeline was closed") {
  world w{{1}, false, true};
  w.line.opened();
  w.line.closed();
  CHECK(w.said() == "pull1");
  CHECK_FALSE(w.line.is_over());
  w.line.supplied(w['a']);
  w.line.answered(w['a']);
  CHECK(w.said() == "+a a0 a. over0");
  CHECK(w.line.is_over());
}

TEST_CASE("items in a stage that terminates fail, and so do items that reach "
          "this stage later") {
  world w{{2, 1}, false};
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.line.offered(w['b']);
  w.line.answered(w['b']); // waits for room
  w.line.offered(w['c']);
  w.said();
  w.line.lost(1);
  CHECK(w.said() == "a!1 b!1");
  w.line.offered(w['d']);
  CHECK(w.said() == "d=closed");
  w.line.answered(w['a']); // too late
  CHECK(w.said() == "");
  w.line.answered(w['c']);
  CHECK(w.said() == "c!1 over0 over1");
  w.line.lost(0);
  CHECK(w.said() == "");
}

TEST_CASE(
  "items that reach a terminated stage fail even if the stage was full") {
  world w{{1, 1, 1}, false};
  for (auto each : {'a', 'b', 'c'}) {
    w.line.offered(w[each]);
    w.line.answered(w[each]);
    w.line.answered(w[each]);
  }
  w.said();
  w.line.lost(1); // has answered b, and c waits for its place
  CHECK(w.said() == "c!1 over0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a. b2 over1");
}

TEST_CASE(
  "an item that a terminated stage has answered continues to the next stage") {
  world w{{2, 1}, true};
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.line.offered(w['b']);
  w.line.offered(w['c']);
  w.line.answered(w['c']);
  w.said();
  w.line.lost(0);
  CHECK(w.said() == "b!0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a. c1 over0");
  w.line.answered(w['c']);
  CHECK(w.said() == "c. over1");
}

TEST_CASE("the stages of a closed pipeline end one after the other, in the "
          "order of the pipeline") {
  world w{{1, 1, 1}, false};
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.said();
  w.line.closed();
  CHECK(w.said() == "over0");
  w.line.answered(w['a']);
  CHECK(w.said() == "a2 over1");
  w.line.answered(w['a']);
  CHECK(w.said() == "a. over2");
  CHECK(w.line.is_over());
  w.line.closed();
  CHECK(w.said() == "");
}

TEST_CASE("when a pipeline is abandoned, its items are cancelled, and all its "
          "stages end") {
  world w{{2, 1}, false, false, 1};
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.line.offered(w['b']);
  w.line.answered(w['b']);
  w.line.offered(w['c']);
  w.line.offered(w['d']);
  w.said();
  w.line.abandoned();
  CHECK(w.said() == "d=closed c~ b~ a~ over0 over1");
  CHECK(w.line.books().cancelled == 3);
}

TEST_CASE("a cancelled item makes room for the next item") {
  world w{{1, 1}, false};
  w.line.offered(w['a']);
  w.line.cancelled(w['a']);
  w.line.cancelled(w['a']);
  w.line.offered(w['b']);
  CHECK(w.said() == "+a a0 a~ +b b0");
  CHECK(w.line.books().cancelled == 1);
}

TEST_CASE("unexpected answers and failures of items are ignored") {
  world w{{1, 1}, false};
  w.line.answered(w['a']);
  w.line.failed(w['a']);
  CHECK(w.said() == "");
  w.line.offered(w['a']);
  w.line.answered(w['a']);
  w.line.offered(w['b']);
  w.line.answered(w['b']);
  w.said();
  w.line.answered(w['b']); // is ready already
  w.line.failed(w['b']);
  CHECK(w.said() == "");
}

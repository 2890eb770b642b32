#include "libpool/core/stage_line.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <map>
#include <sstream>
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

  /// Reports facts in words, such as "offer abc, answer b, lose 0", and returns
  /// the decisions since the last call, for example "+a a0 b! pull2 over0".
  std::string does(const std::string& facts) {
    std::istringstream all{facts};
    for (std::string fact; std::getline(all, fact, ',');) {
      std::istringstream words{fact};
      std::string verb;
      std::string names;
      words >> verb >> names;
      if (names.empty() || verb == "lose")
        tell(verb, names);
      else
        for (auto name : names)
          tell(verb, item(name));
    }
    return said();
  }

  std::deque<line_item> items; // outlive the line
  stage_line line;

private:
  line_item& item(char name) {
    auto i = static_cast<std::size_t>(name - 'a');
    while (items.size() <= i)
      items.emplace_back();
    return items[i];
  }

  void tell(const std::string& verb, line_item& item) {
    using fact = void (stage_line::*)(line_item&);
    static const std::map<std::string, fact> facts{
      {"offer", &stage_line::offered},
      {"answer", &stage_line::answered},
      {"fail", &stage_line::failed},
      {"supply", &stage_line::supplied},
      {"cancel", &stage_line::cancelled}};
    (line.*facts.at(verb))(item);
  }

  void tell(const std::string& verb, const std::string& stage) {
    if (verb == "open")
      line.opened();
    else if (verb == "withhold")
      line.withheld();
    else if (verb == "close")
      line.closed();
    else if (verb == "abandon")
      line.abandoned();
    else
      line.lost(std::stoul(stage));
  }

  std::string said() {
    std::string result;
    for (auto& each : line.decisions())
      result += (result.empty() ? "" : " ") + text(each);
    line.decisions().clear();
    return result;
  }

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
  CHECK(w.does("offer a") == "+a a0");
  CHECK(w.does("answer a") == "a1");
  CHECK(w.does("answer a") == "a2");
  CHECK(w.does("answer a") == "a.");
  CHECK(w.line.books().completed == 1);
  CHECK(w.line.books().in_line == 0);
  CHECK(w.does("close") == "over0 over1 over2");
  CHECK(w.line.is_over());
}

TEST_CASE("a stage keeps an answered item while the next stage is full") {
  world w{{1, 1}, false};
  CHECK(w.does("offer a, answer a, offer b, answer b") == "+a a0 a1 +b b0");
  CHECK(w.line.is_full());
  CHECK(w.does("offer c") == "c=full");
  CHECK(w.does("answer a") == "a. b1");
  CHECK_FALSE(w.line.is_full());
  CHECK(w.line.books().most_in_line == 2);
  CHECK(w.line.books().refused == 1);
}

TEST_CASE("items leave a stage in the order of answers, or in the order of "
          "acceptance if the pipeline is ordered") {
  world any{{3, 3}, false};
  any.does("offer abc");
  CHECK(any.does("answer cb") == "c1 b1");
  CHECK(any.does("answer a") == "a1");
  world ordered{{3, 3}, true};
  ordered.does("offer abc");
  CHECK(ordered.does("answer cb") == "");
  CHECK(ordered.does("answer a") == "a1 b1 c1");
}

TEST_CASE("a failed item does not block later items of an ordered pipeline") {
  world w{{3, 3}, true};
  w.does("offer abc, answer b");
  CHECK(w.does("fail a") == "a!0 b1");
  CHECK(w.line.stage(0).failed == 1);
  CHECK(w.line.stage(0).held == 1);
}

TEST_CASE("an item waits if the first stage is full, and is refused if the "
          "queue is also full") {
  world w{{1}, false, false, 1};
  CHECK(w.does("offer abc") == "+a a0 c=full");
  CHECK(w.line.waiting() == 1);
  CHECK(w.does("answer a") == "a. +b b0");
  CHECK(w.does("offer c, close") == "c=closed");
  CHECK(w.does("answer b") == "b. over0");
}

TEST_CASE(
  "a pipeline requests as many items from its source as it has room for") {
  world w{{2, 1}, false, true};
  CHECK(w.does("open") == "pull2");
  CHECK(w.does("supply a") == "+a a0");
  CHECK(w.does("answer a") == "a1 pull1");
  CHECK(w.does("supply bc, answer b") == "+b b0 +c c0");
  CHECK(w.does("answer a") == "a. b1 pull1");
  CHECK(w.does("withhold")
        == "pull1"); // asked again, unless the line is closed
  CHECK(w.does("close, withhold, answer c") == "");
  CHECK(w.does("answer b") == "b. c1 over0");
}

TEST_CASE("items in a stage that terminates fail, and so do items that reach "
          "this stage later") {
  world w{{2, 1}, false};
  w.does("offer a, answer a, offer b, answer b, offer c"); // b waits for room
  CHECK(w.does("lose 1") == "a!1 b!1");
  CHECK(w.does("offer d") == "d=closed");
  CHECK(w.does("answer a") == ""); // too late
  CHECK(w.does("answer c") == "c!1 over0 over1");
  CHECK(w.does("lose 0") == "");
}

TEST_CASE("an item that waits to enter a pipeline is cancelled at once") {
  world w{{1}, false, false, 1};
  w.does("offer a, offer b");
  CHECK(w.line.is_full());
  CHECK(w.does("cancel b") == "b~");
  CHECK_FALSE(w.line.is_full());
  CHECK(w.line.books().accepted == 2);
  CHECK(w.line.books().in_line == 1);
  CHECK(w.does("offer c, close") == "c=closed");
  CHECK(w.does("cancel b, cancel c") == ""); // are settled
}

TEST_CASE("when a pipeline is abandoned, its items are cancelled, and all its "
          "stages end") {
  world w{{2, 1}, false, false, 1};
  w.does("offer a, answer a, offer b, answer b, offer cd");
  CHECK(w.does("abandon") == "d=closed c~ b~ a~ over0 over1");
  CHECK(w.line.books().cancelled == 3);
}

TEST_CASE("unexpected answers and failures of items are ignored") {
  world w{{1, 1}, false};
  CHECK(w.does("answer a, fail a") == "");
  w.does("offer a, answer a, offer b, answer b");
  CHECK(w.does("answer b, fail b") == ""); // is ready already
}

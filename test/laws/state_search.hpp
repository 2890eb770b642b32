#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace test {

/// The results of an exploration of all runs of a setting.
struct exploration {
  std::size_t states = 0;
  std::size_t steps = 0;
  /// States in which nothing can happen any more.
  std::size_t ends = 0;
  /// Steps of the longest run.
  std::size_t longest = 0;
  /// The violation, and the shortest way there in words; empty if there is
  /// none.
  std::string wrong;
  std::string trace;
  std::size_t trace_length = 0;
};

/// Goes through all states of a world that can be reached, breadth first, and
/// asks in each what is wrong with it, and with it as the last one where
/// nothing is left that must happen; and checks that no run goes on for ever.
/// Ends at the first violation.
///
/// A world is made of its setting, is copied, lists the steps that can be taken
/// (`list_steps`), takes one (`take`, whether it could), says whether a step
/// must come (`must_come`), tells it in words (`words_for`), says what is wrong
/// (`wrong`, `wrong_at_the_end`) and writes itself down (`encode`): worlds with
/// equal bytes are the same.
template <class World, class Setting, class Step>
class state_search {
  using index = std::uint32_t;

public:
  /// Ends after `most` states as well, and then does not look at the lengths of
  /// runs.
  explicit state_search(const Setting& how,
                        std::size_t most = static_cast<index>(-1))
    : how_(how), most_(most) {
    // nop
  }

  exploration run() {
    World first{how_};
    enter(first, 0, {});
    while (!open_.empty() && found_.wrong.empty() && origins_.size() < most_) {
      auto from = std::move(open_.front());
      open_.pop_front();
      expand(from, done_++);
    }
    found_.states = origins_.size();
    found_.steps = targets_.size();
    if (found_.wrong.empty() && open_.empty())
      measure_runs();
    return std::move(found_);
  }

  /// Checks that worlds with equal bytes go on alike, with the first `most`
  /// states: the same steps can be taken, and lead to equal bytes. Otherwise
  /// the bytes leave something out. Returns what differs; empty if nothing
  /// does.
  std::string difference(std::size_t most) {
    std::deque<World> known{World{how_}};
    known.front().encode(code_);
    seen_.emplace(code_, 0);
    for (std::size_t i = 0; i < known.size() && known.size() < most; ++i) {
      std::vector<Step> steps;
      known[i].list_steps(steps);
      for (const auto& by : steps) {
        auto to = known[i];
        if (!to.take(by))
          continue;
        to.encode(code_);
        auto next = static_cast<index>(known.size());
        auto [place, is_new] = seen_.try_emplace(code_, next);
        if (is_new)
          known.push_back(std::move(to));
        else if (outcomes(to) != outcomes(known[place->second]))
          return "different worlds have equal bytes after: "
                 + known[i].words_for(by);
      }
    }
    return {};
  }

private:
  /// What each step that can be taken leads to.
  std::vector<std::string> outcomes(const World& from) {
    std::vector<std::string> result;
    from.list_steps(steps_);
    for (const auto& by : steps_) {
      auto to = from;
      if (!to.take(by))
        continue;
      to.encode(code_);
      result.push_back(from.words_for(by) + ": " + code_ + to.wrong());
    }
    return result;
  }

  struct origin {
    index from = 0;
    Step by;
  };

  /// The state after a step; checked if it is new.
  index enter(World& to, index from, const Step& by) {
    to.encode(code_);
    auto next = static_cast<index>(origins_.size());
    auto [place, is_new] = seen_.try_emplace(code_, next);
    if (!is_new)
      return place->second;
    origins_.push_back({from, by});
    report(to.wrong(), next);
    open_.push_back(std::move(to));
    return next;
  }

  void expand(const World& from, index at) {
    auto goes_on = false;
    firsts_.push_back(targets_.size());
    from.list_steps(steps_);
    for (const auto& by : steps_) {
      auto to = from;
      if (!to.take(by))
        continue;
      goes_on |= World::must_come(by);
      targets_.push_back(enter(to, at, by));
      if (!found_.wrong.empty())
        return;
    }
    if (targets_.size() == firsts_.back())
      ++found_.ends;
    if (!goes_on)
      report(from.wrong_at_the_end(), at);
  }

  /// Tells how it came to that, by doing it again.
  void report(const std::string& wrong, index at) {
    if (wrong.empty())
      return;
    found_.wrong = wrong;
    std::vector<Step> way;
    for (; at != 0; at = origins_[at].from)
      way.push_back(origins_[at].by);
    std::reverse(way.begin(), way.end());
    World world{how_};
    for (const auto& by : way) {
      found_.trace += "  " + world.words_for(by) + '\n';
      world.take(by);
    }
    found_.trace += "  so: " + wrong + '\n';
    found_.trace_length = way.size();
  }

  /// Takes away states that no step leads to, again and again. The states that
  /// remain go in circles.
  void measure_runs() {
    firsts_.push_back(targets_.size());
    std::vector<index> ways_in(found_.states);
    for (auto to : targets_)
      ++ways_in[to];
    std::vector<index> length(found_.states);
    std::deque<index> free{0};
    std::size_t taken = 0;
    for (; !free.empty(); ++taken) {
      auto from = free.front();
      free.pop_front();
      for (auto i = firsts_[from]; i < firsts_[from + 1]; ++i) {
        auto to = targets_[i];
        length[to] = std::max(length[to], length[from] + 1);
        if (--ways_in[to] == 0)
          free.push_back(to);
      }
    }
    found_.longest = *std::max_element(length.begin(), length.end());
    if (taken != found_.states)
      report("some run goes on for ever", on_circle(ways_in));
  }

  /// A state on a circle, given the states that remain: back from one of them,
  /// as often as there are states.
  index on_circle(const std::vector<index>& ways_in) const {
    std::vector<index> before(found_.states);
    index at = 0;
    for (index from = 0; from < found_.states; ++from)
      for (auto i = firsts_[from]; i < firsts_[from + 1]; ++i)
        if (ways_in[from] > 0 && ways_in[targets_[i]] > 0)
          before[at = targets_[i]] = from;
    for (std::size_t i = 0; i < found_.states; ++i)
      at = before[at];
    return at;
  }

  Setting how_;
  std::size_t most_;
  exploration found_;
  std::string code_;
  std::vector<Step> steps_;
  std::unordered_map<std::string, index> seen_;
  std::vector<origin> origins_;
  std::deque<World> open_; // entered, not expanded
  index done_ = 0;
  std::vector<std::size_t> firsts_; // of each state in:
  std::vector<index> targets_;
};

} // namespace test

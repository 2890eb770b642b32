#include "support/protocol_model.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace test {

namespace {

class search {
public:
  explicit search(const protocol_setting& how) : how_(how) {
    // nop
  }

  exploration run() {
    protocol_world first{how_};
    enter(first, 0, {});
    while (!open_.empty() && found_.wrong.empty()) {
      auto from = std::move(open_.front());
      open_.pop_front();
      expand(from, done_++);
    }
    found_.states = origins_.size();
    found_.steps = targets_.size();
    if (found_.wrong.empty())
      measure_runs();
    return std::move(found_);
  }

private:
  using index = std::uint32_t;

  struct origin {
    index from = 0;
    protocol_step by;
  };

  /// The state after a step; checked if it is new.
  index enter(protocol_world& to, index from, const protocol_step& by) {
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

  void expand(const protocol_world& from, index at) {
    auto goes_on = false;
    firsts_.push_back(targets_.size());
    from.list_steps(steps_);
    for (const auto& by : steps_) {
      auto to = from;
      if (!to.take(by))
        continue;
      goes_on |= protocol_world::must_come(by);
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
    std::vector<protocol_step> way;
    for (; at != 0; at = origins_[at].from)
      way.push_back(origins_[at].by);
    std::reverse(way.begin(), way.end());
    protocol_world world{how_};
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
      found_.wrong = "some run goes on for ever";
  }

  protocol_setting how_;
  exploration found_;
  std::string code_;
  std::vector<protocol_step> steps_;
  std::unordered_map<std::string, index> seen_;
  std::vector<origin> origins_;
  std::deque<protocol_world> open_; // entered, not expanded
  index done_ = 0;
  std::vector<std::size_t> firsts_; // of each state in:
  std::vector<index> targets_;
};

} // namespace

exploration explore(const protocol_setting& how) {
  return search{how}.run();
}

} // namespace test

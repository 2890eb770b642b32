#include "gather_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace test {

namespace {

using libpool::duration;
using libpool::errc;
using libpool::gather_plan;
using libpool::gather_votes;
using libpool::instant;
using libpool::never;
using libpool::scatter;
using libpool::verdict;
using namespace std::chrono_literals;

struct asked_task {
  std::size_t number = 0;
  std::size_t worker = 0;
};

/// A message, and its tasks.
struct message {
  std::size_t number = 0;
  std::unique_ptr<gather_votes> votes;
  std::set<std::size_t> asked; // workers
  std::vector<asked_task> open;
  std::size_t tasks = 0;
  std::size_t successes = 0;
  instant sent = never;
  instant patience_ends = never;
  bool found_nobody = false;
  bool is_answered = false;
};

class world {
public:
  world(const make_plan& make, std::uint64_t seed, votes_are how)
    : draw_(seed), votes_are_(how), plan_(make()), asks_(plan_->asks()) {
    for (auto n = 1 + below(6); n > 0; --n)
      workers_.insert(next_worker_++);
  }

  gather_outcome live() {
    for (auto i = 0; i < 1500; ++i)
      happens();
    while (!messages_.empty() && !messages_.begin()->second.open.empty())
      end_one_of(messages_.begin()->second);
    outcome_.trace = std::move(trace_);
    return std::move(outcome_);
  }

private:
  // -- chance -----------------------------------------------------------------

  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(draw_() % n);
  }

  message& some_message() {
    auto index = static_cast<std::ptrdiff_t>(below(messages_.size()));
    return std::next(messages_.begin(), index)->second;
  }

  void happens() {
    auto event = below(12);
    if (event == 0 && workers_.size() < 8)
      workers_.insert(next_worker_++);
    else if (event == 1 && workers_.size() > 1)
      leaves(*std::next(workers_.begin(),
                        static_cast<std::ptrdiff_t>(below(workers_.size()))));
    else if (event < 4)
      time_passes(duration{1 + static_cast<std::int64_t>(below(30))});
    else if (event < 7 || messages_.empty())
      comes();
    else
      end_one_of(some_message());
  }

  // -- messages ---------------------------------------------------------------

  void comes() {
    if (asks_.to == scatter::target::some && asks_.asked > 1
        && workers_.size() < asks_.needed)
      return; // is refused
    if (plan_->has_patience())
      plan_->message_came();
    ++came_;
    auto& added = messages_[came_];
    added.number = came_;
    added.votes = votes();
    auto n = how_many();
    added.votes->began(n, time());
    note("began", added, n);
    for (std::size_t i = 0; i < n; ++i)
      ask(added, *unasked(added, asks_.to != scatter::target::parts));
    if (n > 0 && plan_->has_patience()) {
      added.sent = now_;
      if (auto after = plan_->patience())
        added.patience_ends = libpool::later(now_, *after);
    }
  }

  std::size_t how_many() {
    if (asks_.to == scatter::target::parts)
      return 1 + below(7);
    return asks_.to == scatter::target::everybody
             ? workers_.size()
             : std::min(asks_.asked, workers_.size());
  }

  /// Of a message that is over, if there are any: they serve again.
  std::unique_ptr<gather_votes> votes() {
    if (spare_.empty() || votes_are_ == votes_are::made)
      return plan_->make_votes();
    auto result = std::move(spare_.back());
    spare_.pop_back();
    return result;
  }

  /// A worker that was not asked yet, or any.
  std::optional<std::size_t> unasked(const message& of, bool another) {
    std::vector<std::size_t> all;
    for (auto each : workers_)
      if (!another || of.asked.count(each) == 0)
        all.push_back(each);
    if (all.empty())
      return std::nullopt;
    return all[below(all.size())];
  }

  void ask(message& of, std::size_t worker) {
    check(!of.is_answered, "asks after the answer", of);
    auto is_new = of.asked.insert(worker).second;
    check(is_new || asks_.to == scatter::target::parts,
          "asks a worker twice for a message", of);
    of.open.push_back({of.tasks++, worker});
  }

  void ask_another(message& of, std::size_t worker) {
    ++outcome_.asked_later;
    of.votes->asked_another(time());
    note("asked another", of, worker);
    ask(of, worker);
    decide(of);
  }

  // -- facts ------------------------------------------------------------------

  enum class ending { succeeded, failed, removed };

  void end_one_of(message& of) {
    if (of.open.empty())
      return; // nobody waits for it: see `decide`
    auto index = below(of.open.size());
    end(of, index, below(3) != 0 ? ending::succeeded : ending::failed);
  }

  void end(message& of, std::size_t index, ending how) {
    auto task = of.open[index];
    of.open.erase(of.open.begin() + static_cast<std::ptrdiff_t>(index));
    if (of.sent != never && task.number == 0 && how != ending::removed)
      plan_->first_answered(now_ - of.sent);
    switch (how) {
      case ending::succeeded:
        ++of.successes;
        note("succeeded", of, task.number);
        of.votes->succeeded(task.number, time());
        break;
      case ending::failed:
        note("failed", of, task.number);
        of.votes->failed(task.number, time());
        break;
      case ending::removed:
        note("removed", of, task.number);
        of.votes->removed(task.number, time());
    }
    decide(of);
  }

  /// Tasks of a worker that leaves fail, or are not waited for if everybody was
  /// asked and it was taken out.
  void leaves(std::size_t worker) {
    auto is_taken_out = asks_.to == scatter::target::everybody && below(2) == 0;
    workers_.erase(worker);
    for (auto number : numbers())
      while (auto* of = find(number)) {
        auto& open = of->open;
        auto its = std::find_if(open.begin(), open.end(), [&](auto& each) {
          return each.worker == worker;
        });
        if (its == open.end())
          break;
        end(*of, static_cast<std::size_t>(its - open.begin()),
            is_taken_out ? ending::removed : ending::failed);
      }
  }

  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> result;
    for (const auto& entry : messages_)
      result.push_back(entry.first);
    return result;
  }

  void time_passes(duration time_of) {
    now_ += time_of;
    for (auto number : numbers()) {
      if (auto* of = find(number); of != nullptr && of->patience_ends <= now_)
        lose_patience(*of);
      if (auto* of = find(number);
          of != nullptr && of->votes->next_tick() <= now_) {
        of->votes->time_passed(now_);
        note("time passed", *of, 0);
        decide(*of);
      }
    }
  }

  message* find(std::size_t number) {
    auto found = messages_.find(number);
    return found == messages_.end() ? nullptr : &found->second;
  }

  void lose_patience(message& of) {
    of.patience_ends = never;
    if (!plan_->may_ask_another())
      return;
    if (auto worker = unasked(of, true)) {
      plan_->asked_another();
      ask_another(of, *worker);
      auto again = 100 * static_cast<double>(outcome_.asked_later);
      outcome_.asked_again = std::max(outcome_.asked_again,
                                      again / static_cast<double>(came_));
    }
  }

  // -- decisions --------------------------------------------------------------

  void decide(message& of) {
    auto by = of.votes->decide();
    check(of.votes->next_tick() > now_ || by.is == verdict::decision::answer
            || by.is == verdict::decision::fail,
          "wants to be told a time that has passed", of);
    switch (by.is) {
      case verdict::decision::wait:
        return check(!of.open.empty(), "waits for nobody", of);
      case verdict::decision::ask:
        return ask_more(of, by.count);
      case verdict::decision::answer:
        check(of.successes >= least_successes(), "answers too early", of);
        ++outcome_.answered;
        return settle(of, "answered");
      case verdict::decision::fail:
        check(by.why != errc{}, "fails for no reason", of);
        check(by.why != errc::too_few_answers
                || of.successes + of.open.size() < by.count,
              "fails though there may be enough", of);
        ++outcome_.failed;
        return settle(of, "failed");
    }
  }

  /// One in any case; plans that ask some may need more.
  std::size_t least_successes() const {
    return asks_.to == scatter::target::some ? asks_.needed : 1;
  }

  void ask_more(message& of, std::size_t more) {
    check(more > 0, "asks for nobody", of);
    check(asks_.asks_more, "asks for more, and says that it does not", of);
    if (of.found_nobody)
      return check(!of.open.empty(), "goes on asking in vain", of);
    auto worker = unasked(of, true);
    if (worker && asks_.to != scatter::target::parts)
      return ask_another(of, *worker);
    of.found_nobody = true;
    of.votes->found_nobody(time());
    note("found nobody", of, more);
    decide(of);
  }

  /// From now on nothing is told of the message.
  void settle(message& of, const char* how) {
    check(!of.is_answered, "answers twice", of);
    of.is_answered = true;
    note(how, of, of.successes);
    spare_.push_back(std::move(of.votes));
    messages_.erase(of.number);
  }

  // -- books ------------------------------------------------------------------

  instant time() const {
    return plan_->is_timed() ? now_ : instant{};
  }

  void note(const char* fact, const message& of, std::size_t number) {
    trace_ += std::to_string(of.number) + " " + fact + " "
              + std::to_string(number) + "\n";
  }

  void check(bool holds, const char* law, const message& of) {
    if (!holds && outcome_.broken.empty())
      outcome_.broken = "message " + std::to_string(of.number) + " " + law;
  }

  std::mt19937_64 draw_;
  const votes_are votes_are_;
  const std::unique_ptr<gather_plan> plan_;
  const scatter asks_;
  instant now_{};
  std::set<std::size_t> workers_;
  std::size_t next_worker_ = 0;
  std::size_t came_ = 0;
  std::map<std::size_t, message> messages_; // open ones, by number
  std::vector<std::unique_ptr<gather_votes>> spare_;
  std::string trace_;
  gather_outcome outcome_;
};

} // namespace

gather_outcome run_gather(const make_plan& make, std::uint64_t seed,
                          votes_are how) {
  return world{make, seed, how}.live();
}

} // namespace test

#include "support/link_world.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

using libpool::instant;
using libpool::task_number;
using libpool::worker_number;

namespace test {

using link_kind = link_step::kind;

// -- what is wrong ------------------------------------------------------------

std::string link_world::wrong() const {
  if (!broken_.empty())
    return broken_;
  for (std::size_t i = 0; i < how_.tasks; ++i) {
    auto task = "task " + std::to_string(i + 1);
    if (fates_[i].outcomes > 1)
      return task + " has more than one outcome";
    if (fates_[i].runs > 1 + how_.retries)
      return task + " ran more often than allowed";
    auto runs_on = [i](const node& member) {
      return std::any_of(
        member.running.begin(), member.running.end(), [i](number each) {
          return static_cast<std::size_t>(each) % link_setting::most_tasks == i;
        });
    };
    if (how_.retries == 0
        && std::count_if(nodes_.begin(), nodes_.end(), runs_on) > 1)
      return task + " runs on two nodes at once";
  }
  if (has_two_sessions_of_a_node())
    return "a node has two sessions at once";
  if (has_left_unconfirmed())
    return "a node has left while the pool takes it for alive";
  return nodes_agree() ? "" : "the pool or a node counts its tasks wrongly";
}

/// Whether the pool has two sessions for one node.
bool link_world::has_two_sessions_of_a_node() const {
  std::set<std::uint64_t> seen;
  for (const auto& entry : pool_.sessions().sessions()) {
    auto by = static_cast<std::uint64_t>(entry.second.by)
              % link_setting::most_connections;
    if (!entry.second.is_cut && !seen.insert(by).second)
      return true;
  }
  return false;
}

bool link_world::has_left_unconfirmed() const {
  const auto& open = pool_.sessions().sessions();
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
    auto found = open.find(each.own.stream.session());
    return each.machine.has_left() && !each.machine.is_dismissed()
           && found != open.end() && !found->second.is_cut;
  });
}

/// Whether the pool counts the tasks that it has sent to each node, and each
/// node counts its waiting and running tasks.
bool link_world::nodes_agree() const {
  for (const auto& entry : pool_.sessions().sessions()) {
    auto is_there = [&](const fate& each) {
      return each.is_out && each.at == entry.first;
    };
    auto sent = std::count_if(fates_.begin(), fates_.end(), is_there);
    if (pool_.in_flight(entry.first) != static_cast<std::size_t>(sent))
      return false;
  }
  return std::all_of(nodes_.begin(), nodes_.end(), [](const node& each) {
    return each.machine.waiting() == each.queue.size()
           && each.machine.running() == each.running.size();
  });
}

std::string link_world::wrong_at_the_end() const {
  auto in_silence = wrong_in_silence();
  return in_silence.empty() ? wrong_in_peace() : in_silence;
}

/// Checks a future in which all nodes are silent. The pool must give up all
/// nodes, and no task may stay in flight.
std::string link_world::wrong_in_silence() const {
  auto last = *this;
  for (auto i = 0; i < 8; ++i) {
    ++last.time_;
    last.pool_.ticked(last.now());
    last.carry_out();
  }
  if (!last.pool_.sessions().sessions().empty())
    return "a silent node is never given up";
  for (std::size_t i = 0; i < how_.tasks; ++i)
    if (last.fates_[i].is_out)
      return "task " + std::to_string(i + 1) + " never has an outcome";
  return last.wrong();
}

/// Checks a future without faults. Each task must get its outcome, each node
/// must serve or have left, and all messages must be acknowledged.
std::string link_world::wrong_in_peace() const {
  auto last = *this;
  last.make_peace();
  if (auto wrong = last.wrong(); !wrong.empty())
    return wrong;
  auto serves = false;
  for (std::size_t i = 0; i < how_.nodes; ++i) {
    const auto& at = last.nodes_[i];
    if (at.is_leaving && !at.machine.has_left() && !at.machine.is_dismissed())
      return "a node that leaves never gets a confirmation";
    if (at.machine.has_left() || at.machine.is_dismissed())
      continue;
    serves = true;
    auto mine = last.session_of(at);
    if (!last.pool_.wants(mine) || at.machine.link().session() != mine)
      return "a node never serves again";
    auto own = at.own.stream;
    auto of_pool = at.of_pool.stream;
    if (own.stream().kept() + of_pool.stream().kept() > 0)
      return "a message is never acknowledged";
    if (at.was_asked)
      return "a node that is asked for tasks never answers";
  }
  for (std::size_t i = 0; i < how_.tasks; ++i)
    if (last.fates_[i].outcomes != 1
        && (serves || last.fates_[i].is != place::pool))
      return "task " + std::to_string(i + 1) + " never has an outcome";
  return {};
}

void link_world::make_peace() {
  how_.drops = how_.cuts = how_.forgeries = how_.expelled = 0;
  how_.leaving = how_.restarts = how_.unwanted = 0;
  how_.resumes_what_has_ended = false;
  for (auto i = 0; i < 12; ++i) {
    for (auto steps = 0; steps < 1000 && goes_on_in_peace(); ++steps) {
      // once more
    }
    ++time_;
  }
}

/// Takes one step without a fault. Tasks are assigned only if no other step is
/// due.
bool link_world::goes_on_in_peace() {
  std::vector<link_step> all;
  list_steps(all);
  auto is_due = [](const link_step& each) {
    return must_come(each) && each.is != link_kind::pass;
  };
  auto found = std::find_if(all.begin(), all.end(), is_due);
  if (found == all.end())
    found = std::find_if(all.begin(), all.end(), [](const link_step& each) {
      return each.is == link_kind::assign;
    });
  if (found == all.end() || !broken_.empty())
    return false;
  take(*found);
  return true;
}

// -- a state in bytes ---------------------------------------------------------

namespace {

/// Writes numbers, times and messages as bytes.
struct writer {
  std::string& to;

  void operator()(std::uint64_t x) const {
    to += static_cast<char>(x);
  }

  void operator()(worker_number x) const {
    (*this)(static_cast<std::uint64_t>(x));
  }

  /// Writes a time as the first quarter that is not earlier. Only this quarter
  /// has an effect.
  void operator()(instant x) const {
    constexpr std::uint64_t most = 255;
    constexpr auto unit = link_setting::quarter;
    auto since = x.time_since_epoch();
    (*this)(x == libpool::never
              ? most
              : static_cast<std::uint64_t>((since + unit - libpool::duration{1})
                                           / unit));
  }

  template <class Tasks>
  void all(const Tasks& tasks) const {
    (*this)(tasks.size());
    for (auto each : tasks)
      (*this)(static_cast<std::uint64_t>(each));
  }

  void operator()(const libpool::hello& x) const {
    (*this)(x.attempt);
  }

  void operator()(const libpool::welcome& x) const {
    (*this)(x.attempt);
  }

  void operator()(const libpool::beat& x) const {
    (*this)(x.sent);
  }

  void operator()(const libpool::tasks_sent& x) const {
    all(x.tasks);
  }

  void operator()(const libpool::forget& x) const {
    all(x.tasks);
  }

  void operator()(const libpool::ask_back& x) const {
    (*this)(x.max);
  }

  void operator()(const libpool::given_back& x) const {
    (*this)(std::uint64_t{x.was_asked});
    all(x.tasks);
  }

  void operator()(const libpool::tasks_done& x) const {
    (*this)(static_cast<std::uint64_t>(x.ends.front().task));
  }

  void operator()(const libpool::unread& x) const {
    (*this)(static_cast<std::uint64_t>(x.task));
  }

  void operator()(const libpool::demand& x) const {
    (*this)(x.window);
  }

  void operator()(const libpool::receipt& x) const {
    (*this)(x.bytes);
  }

  // The kind says everything about these messages.
  void operator()(const libpool::ready&) const {}
  void operator()(const libpool::bye&) const {}
  void operator()(const libpool::gone&) const {}
  void operator()(const libpool::resend&) const {}
  void operator()(const libpool::call&) const {}

  void operator()(const libpool::stream_mark& x) const {
    (*this)(x.last);
    (*this)(x.received * 4 + (x.is_numbered ? 2U : 0U)
            + (x.asks_again ? 1U : 0U));
  }

  template <class Batch>
  void batch(const Batch& x) const {
    (*this)(x.content.index());
    (*this)(x.session);
    std::visit(*this, x.content);
  }

  template <class Channel>
  void messages(const Channel& all) const {
    (*this)(all.size());
    for (const auto& each : all) {
      (*this)(each.mark);
      batch(each.batch);
    }
  }

  /// Writes a stream, with the messages that it keeps.
  template <class Batch>
  void stream(libpool::session_stream<Batch> x, bool has_asked) const {
    (*this)(x.session());
    (*this)(x.stream().mark_beside());
    (*this)(x.stream().kept() * 2 + (has_asked ? 1U : 0U));
    x.stream().repeat(
      [this](const libpool::stream_mark&, const Batch& kept) { batch(kept); });
  }
};

std::uint64_t bits(std::initializer_list<bool> all) {
  std::uint64_t result = 0;
  for (auto each : all)
    result = 2 * result + (each ? 1U : 0U);
  return result;
}

} // namespace

void link_world::encode(std::string& to, const node& at) const {
  writer write{to};
  const auto& link = at.machine.link();
  write(link.session().value_or(worker_number{}));
  write(link.begins_until());
  write(link.next_tick());
  write(at.hellos);
  write(at.said_hello);
  write(static_cast<std::uint64_t>(at.by));
  write(bits({at.is_whole, at.knows_up, at.is_leaving, at.was_asked,
              at.machine.has_left(), at.machine.is_dismissed()}));
  write.all(at.queue);
  write.all(at.running);
  write.stream(at.own.stream, at.own.has_asked);
  write.stream(at.of_pool.stream, at.of_pool.has_asked);
  write.messages(at.up);
  write.messages(at.down);
}

void link_world::encode(std::string& to) const {
  to.clear();
  writer write{to};
  write(static_cast<std::uint64_t>(time_));
  for (auto left : {how_.drops, how_.cuts, how_.forgeries, how_.expelled,
                    how_.leaving, how_.restarts, how_.unwanted})
    write(std::uint64_t{left});
  auto has_sessions = !pool_.sessions().sessions().empty();
  write(has_sessions ? due_ : instant{});
  write(std::uint64_t{has_sessions && looked_ == time_});
  for (const auto& [which, open] : pool_.sessions().sessions()) {
    write(which);
    write(static_cast<std::uint64_t>(open.by));
    write(open.attempt);
    write(open.heard);
    auto wants = pool_.wants(which);
    write(bits({open.is_ready, open.is_cut, wants && wants->window > 0,
                wants && wants->service > libpool::duration{0}}));
  }
  to += '|';
  for (std::size_t i = 0; i < how_.tasks; ++i) {
    const auto& task = fates_[i];
    write(static_cast<std::uint64_t>(task.is));
    write(task.at);
    write(
      bits({task.is_out, task.is_wanted, task.has_begun, task.begins_no_more}));
    write(std::uint64_t{task.attempts});
    write(std::uint64_t{task.losses});
    write(std::uint64_t{task.runs * 8U + task.outcomes});
  }
  write(sessions_);
  write.all(served_);
  write(programs_);
  for (std::size_t i = 0; i < how_.nodes; ++i)
    encode(to, nodes_[i]);
  to += broken_;
}

// -- a step in words ----------------------------------------------------------

std::string link_world::words_for(const link_step& step) const {
  constexpr std::array<const char*, 17> names{
    "is sent task",
    "must not run task any more",
    "begins a task",
    "ends a task",
    "has a message arrive",
    "has a message lost",
    "has its line interrupted",
    "notices that its line is interrupted",
    "has its line mended",
    "notices that its line is up",
    "sends a message for the other node",
    "is expelled",
    "leaves",
    "starts another program",
    "looks at its clock",
    "the pool looks at its clock",
    "a quarter of a lease passes"};
  std::string what = names[static_cast<std::size_t>(step.is)];
  if (step.is == link_kind::tick_pool || step.is == link_kind::pass)
    return what;
  if (step.is == link_kind::assign || step.is == link_kind::cancel)
    return "session " + std::to_string(step.node) + " " + what + " "
           + std::to_string(step.task + 1);
  const auto& at = nodes_[step.node];
  auto words = std::string{"node "} + "AB"[step.node] + " " + what;
  if (step.is == link_kind::forge)
    return words + ", " + std::to_string(step.task);
  if (step.is != link_kind::arrive && step.is != link_kind::drop)
    return words;
  constexpr std::array<const char*, 10> from{
    "hello",      "ready",  "beat",    "bye",    "tasks_done",
    "given_back", "demand", "receipt", "unread", "resend"};
  constexpr std::array<const char*, 10> sent{
    "welcome",  "beat",    "bye",    "gone",   "tasks_sent",
    "ask_back", "receipt", "forget", "resend", "call"};
  return step.is_up
           ? words
               + ", for the pool: " + from[at.up.front().batch.content.index()]
           : words + ": " + sent[at.down.front().batch.content.index()];
}

} // namespace test

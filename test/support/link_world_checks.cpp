#include "support/link_world.hpp"

#include "libpool/core/errc.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <variant>

using libpool::connection_number;
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
      return task + " ran too often";
  }
  if (has_two_sessions_of_a_run())
    return "a node serves in two sessions at once";
  return {};
}

/// As far as the pool knows.
bool link_world::has_two_sessions_of_a_run() const {
  std::set<connection_number> with_session;
  for (const auto& entry : pool_.members()) {
    auto found = sessions_.sessions().find(entry.first);
    if (entry.second.is_reachable && found != sessions_.sessions().end()
        && !with_session.insert(found->second.by).second)
      return true;
  }
  return false;
}

/// If all nodes fall silent now, the pool notices, and each task has an
/// outcome.
std::string link_world::wrong_at_the_end() const {
  auto last = *this;
  for (auto i = 0; i < 8; ++i) {
    ++last.time_;
    last.sessions_.ticked(last.now());
    last.carry_out_sessions();
    last.carry_out_books();
  }
  if (!last.sessions_.sessions().empty())
    return "a silent node is never given up";
  for (std::size_t i = 0; i < how_.tasks; ++i) {
    last.pool_.drop(task_number{i}, libpool::errc::no_workers);
    last.carry_out_books();
    if (last.fates_[i].outcomes != 1)
      return "task " + std::to_string(i + 1) + " never has an outcome";
  }
  return {};
}

// -- a state in bytes ---------------------------------------------------------

namespace {

/// Writes numbers and times down.
struct writer {
  std::string& to;

  void operator()(std::uint64_t x) const {
    to += static_cast<char>(x);
  }

  void operator()(worker_number x) const {
    (*this)(static_cast<std::uint64_t>(x));
  }

  void operator()(instant x) const {
    (*this)(x == libpool::never
              ? 255U
              : static_cast<std::uint64_t>(x.time_since_epoch().count()));
  }

  void operator()(const libpool::hello& x) const {
    (*this)(x.attempt);
  }

  void operator()(const libpool::ready& x) const {
    (*this)(x.session);
  }

  void operator()(const libpool::bye& x) const {
    (*this)(x.session);
  }

  void operator()(const libpool::welcome& x) const {
    (*this)(x.attempt);
    (*this)(x.session);
  }

  void operator()(const libpool::beat& x) const {
    (*this)(x.session);
    (*this)(x.sent);
  }

  template <class Tasks>
  void all(const Tasks& tasks) const {
    (*this)(tasks.size());
    for (auto each : tasks)
      (*this)(static_cast<std::uint64_t>(each));
  }
};

} // namespace

void link_world::encode(std::string& to, const node& at) const {
  writer write{to};
  write(at.link.session().value_or(worker_number{}));
  write(at.link.begins_until());
  write(at.link.next_tick());
  write(at.hellos);
  write(at.said_hello);
  write(at.serves);
  write(static_cast<std::uint64_t>(at.by));
  write(std::uint64_t{at.is_open} * 2 + std::uint64_t{at.knows});
  write.all(at.machine.queue());
  write.all(at.machine.running());
  write(at.up.size());
  for (const auto& message : at.up) {
    write(message.index());
    if (const auto* sent = std::get_if<result>(&message)) {
      write(sent->session);
      write(static_cast<std::uint64_t>(sent->done.task));
    } else {
      std::visit(
        [&](const auto& any) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(any)>, result>)
            write(any);
        },
        message);
    }
  }
  write(at.down.size());
  for (const auto& message : at.down) {
    write(message.index());
    std::visit(
      [&](const auto& any) {
        if constexpr (std::is_same_v<std::decay_t<decltype(any)>, portion>) {
          write(any.session);
          write.all(any.tasks.tasks);
        } else {
          write(any);
        }
      },
      message);
  }
}

void link_world::encode(std::string& to) const {
  to.clear();
  writer write{to};
  write(static_cast<std::uint64_t>(time_));
  write(how_.closings);
  write(sessions_.next_tick());
  for (const auto& [number, open] : sessions_.sessions()) {
    write(number);
    write(static_cast<std::uint64_t>(open.by));
    write(open.attempt);
    write(open.heard);
    write(std::uint64_t{open.is_ready} * 2 + std::uint64_t{open.is_cut});
  }
  to += '|';
  for (const auto& [number, member] : pool_.members()) {
    write(number);
    write(std::uint64_t{member.is_reachable});
    write.all(member.tasks);
  }
  to += '|';
  for (const auto& [number, task] : pool_.tasks()) {
    write(static_cast<std::uint64_t>(number));
    write(task.on.value_or(worker_number{}));
    write(task.crashes);
  }
  for (std::size_t i = 0; i < how_.tasks; ++i)
    write(fates_[i].runs * 8 + fates_[i].outcomes * 2
          + (fates_[i].in_hands ? 1U : 0U));
  for (const auto* each : {&over_, &served_})
    write.all(*each);
  for (auto each : untold_)
    write(static_cast<std::uint64_t>(each));
  write(connections_);
  for (std::size_t i = 0; i < how_.members; ++i)
    encode(to, nodes_[i]);
  to += broken_;
}

// -- a step in words ----------------------------------------------------------

std::string link_world::words_for(const link_step& step) const {
  constexpr std::array<const char*, 11> names{
    "is sent task",
    "begins task",
    "ends a task",
    "has a message arrive",
    "has its connection close",
    "notices that its connection has closed",
    "the pool is told of a closed connection",
    "connects",
    "looks at its clock",
    "the pool looks at its clock",
    "a quarter of a lease passes"};
  std::string what = names[static_cast<std::size_t>(step.is)];
  if (step.is == link_kind::tell || step.is == link_kind::tick_pool
      || step.is == link_kind::pass)
    return what;
  if (step.is == link_kind::assign)
    return "session " + std::to_string(step.node) + " " + what + " "
           + std::to_string(step.task + 1);
  const auto& at = nodes_[step.node];
  auto words = std::string{"node "} + "AB"[step.node] + " " + what;
  if (step.is != link_kind::arrive)
    return words;
  constexpr std::array<const char*, 5> from{"hello", "ready", "beat", "bye",
                                            "task_done"};
  constexpr std::array<const char*, 3> sent{"welcome", "beat", "tasks_sent"};
  return step.is_up ? words + " at the pool: " + from[at.up.front().index()]
                    : words + ": " + sent[at.down.front().index()];
}

} // namespace test

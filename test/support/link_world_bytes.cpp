#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "support/batch_words.hpp"
#include "support/link_world.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

using libpool::instant;
using libpool::worker_number;

namespace test {

using link_kind = link_step::kind;

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

  void operator()(const libpool::stream_mark& x) const {
    (*this)(x.last);
    (*this)(x.received * 4 + (x.is_numbered ? 2U : 0U)
            + (x.asks_again ? 1U : 0U));
  }

  /// Writes a batch without measured times, which have no effect.
  template <class Batch>
  void batch(Batch x) const {
    std::size_t contents = 0;
    if constexpr (std::is_same_v<Batch, libpool::batch_to_pool>) {
      if (auto* wants = std::get_if<libpool::demand>(&x.content))
        wants->service = wants->round_trip = {};
      if (auto* done = std::get_if<libpool::tasks_done>(&x.content))
        contents = done->ends.size();
    } else if (auto* sent = std::get_if<libpool::tasks_sent>(&x.content)) {
      contents = sent->tasks.size();
    }
    if (auto* alive = std::get_if<libpool::beat>(&x.content))
      alive->deaf = {};
    to += bytes_of(x, std::vector<std::string_view>(contents));
  }

  template <class Channel>
  void messages(const Channel& all) const {
    (*this)(all.size());
    for (const auto& each : all) {
      (*this)(each.epoch);
      this->all(each.held);
      (*this)(each.mark);
      batch(each.batch);
    }
  }

  template <class Tasks>
  void held(const Tasks& tasks) const {
    (*this)(tasks.size());
    for (const auto& each : tasks) {
      (*this)(static_cast<std::uint64_t>(each.which));
      (*this)(each.of * 2 + (each.stops ? 1U : 0U));
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
  write(at.epoch.value());
  write(at.highest);
  write(fronts_.size() > 1 || how_.fronts > 0 ? at.heard : instant{});
  write(at.hellos);
  write(at.said_hello);
  write(static_cast<std::uint64_t>(at.by));
  write(bits({at.is_whole, at.knows_up, at.is_leaving, at.machine.has_left(),
              at.machine.is_dismissed()}));
  write(at.serves);
  write(at.newest);
  write(at.last);
  write.held(at.queue);
  write.held(at.running);
  write.stream(at.own.stream, at.own.has_asked);
  if (how_.queue)
    encode_held(to, at);
}

/// Writes what the node has begun of the queue.
void link_world::encode_held(std::string& to, const node& at) const {
  writer write{to};
  write(at.begun);
  write(at.held.tasks().size());
  for (const auto& [which, held] : at.held.tasks()) {
    write(which);
    write(static_cast<std::uint64_t>(held.task));
    write(held.result.value_or(0));
  }
}

/// Writes a front. The pool of a front that has ended has no effect. Whether
/// the pool was late has an effect on nodes that were silent for most of a
/// lease before a second delay begins.
void link_world::encode(std::string& to, const front& of) const {
  writer write{to};
  write(static_cast<std::uint64_t>(of.is));
  for (std::size_t i = 0; i < slots(); ++i)
    encode(to, of.fates[i]);
  if (how_.queue)
    write.all(of.empty);
  for (const auto& each : of.lines)
    write.messages(each.down);
  write.all(of.served);
  if (of.is == life::has_ended)
    return;
  auto has_sessions = !of.pool.sessions().sessions().empty();
  write(has_sessions ? of.due : instant{});
  auto lateness_counts = has_sessions && how_.until > link_setting::lease;
  write(
    bits({has_sessions && of.looked == time_, lateness_counts && of.was_late,
          has_sessions && of.continued == time_}));
  if (how_.forgives_no_pause)
    write(static_cast<std::uint64_t>(of.looked) + 1);
  if (of.is == life::stands_still)
    write(static_cast<std::uint64_t>(of.stopped));
  for (const auto& [which, open] : of.pool.sessions().sessions()) {
    write(which);
    write(static_cast<std::uint64_t>(open.by));
    write(open.attempt);
    write(open.heard);
    auto wants = of.pool.wants(which);
    write(bits({open.is_ready, open.is_cut, wants && wants->window > 0,
                wants && wants->service > libpool::duration{0}}));
  }
  to += '|';
  write(of.sessions);
  for (const auto& each : of.lines) {
    write(bits({each.is_known, each.was_asked}));
    write.stream(each.of_pool.stream, each.of_pool.has_asked);
    write.messages(each.up);
  }
  if (how_.queue)
    encode_held(to, of);
}

/// Writes what the front knows of tasks that nodes have begun.
void link_world::encode_held(std::string& to, const front& of) const {
  writer write{to};
  write(of.adopts_until > now() ? of.adopts_until : instant{});
  for (std::size_t i = 0; i < how_.tasks; ++i)
    write(of.held.holder_of(submission_of(i)).value_or(worker_number{}));
  auto held = of.held;
  for (const auto& entry : of.pool.sessions().sessions())
    write.all(held.take_settled(entry.first));
  for (const auto& each : of.lines)
    write.all(each.held);
}

void link_world::encode(std::string& to, const fate& of) const {
  writer write{to};
  write(static_cast<std::uint64_t>(of.is));
  write(of.at);
  write(bits({of.is_out, of.is_wanted, of.is_recalled, of.has_begun,
              of.begins_no_more}));
  write(std::uint64_t{of.attempts});
  write(std::uint64_t{of.losses});
  write(std::uint64_t{of.runs * 8U + of.outcomes});
  if (how_.queue)
    write(std::uint64_t{of.given} * 8
          + bits({of.asks, of.is_adopted, of.is_stored}));
}

void link_world::encode(std::string& to) const {
  to.clear();
  writer write{to};
  write(static_cast<std::uint64_t>(time_));
  for (auto left :
       {how_.drops, how_.cuts, how_.forgeries, how_.expelled, how_.leaving,
        how_.restarts, how_.unwanted, how_.recalls, how_.pauses, how_.fronts})
    write(std::uint64_t{left});
  for (const auto& each : fronts_)
    encode(to, each);
  for (std::size_t i = 0; i < how_.tasks && how_.queue; ++i) {
    write(std::uint64_t{queue_[i].given} * 2 + (queue_[i].is_stored ? 1U : 0U));
    write(queue_[i].holder);
    write(std::uint64_t{queue_[i].begins});
  }
  write(programs_);
  for (const auto& each : nodes_)
    encode(to, each);
  to += broken_;
}

// -- a step in words ----------------------------------------------------------

std::string link_world::words_for(const link_step& step) const {
  constexpr std::array<const char*, 24> names{
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
    "ends or stands still, and another front begins",
    "stands still",
    "continues",
    "looks at its clock",
    "looks at its clock",
    "a quarter of a lease passes",
    "gets from the queue task",
    "no longer waits for a node that has begun task",
    "stores the result of task",
    "must give back task"};
  auto words = "front " + text(step.front + 1U)
               + (step.is == link_kind::assign ? ", session " : ", node ")
               + text(step.node) + ", task " + text(step.task + 1U) + ": "
               + names[static_cast<std::size_t>(step.is)];
  if (step.is != link_kind::arrive && step.is != link_kind::drop)
    return words;
  const auto& with = fronts_[step.front].lines[step.node];
  return words + (step.is_up ? " for the front: " : " for the node: ")
         + (step.is_up ? test::words_for(with.up.front().batch)
                       : test::words_for(with.down.front().batch));
}

} // namespace test

/// States of a `link_world` as bytes, and its steps in words.

#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "link_world.hpp"
#include "support/batch_words.hpp"

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

using libpool::instant;

namespace test {

namespace {

/// Writes numbers, times and messages as bytes.
struct writer {
  template <class... Ts>
  void operator()(const Ts&... values) const {
    (write(values), ...);
  }

  template <class T>
  std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>
  write(T value) const {
    to += static_cast<char>(value);
  }

  /// Writes a time as the first quarter that is not earlier. Only this quarter
  /// has an effect.
  void write(instant x) const {
    constexpr auto unit = link_setting::quarter;
    to += static_cast<char>(
      x == libpool::never
        ? -1
        : (x.time_since_epoch() + unit - libpool::duration{1}) / unit);
  }

  void write(const libpool::stream_mark& x) const {
    (*this)(x.last, x.received, x.is_numbered, x.asks_again);
  }

  template <class T>
  void write(const std::vector<T>& all) const {
    (*this)(all.size());
    for (const auto& each : all)
      (*this)(each);
  }

  template <class T>
  void write(const std::set<T>& all) const {
    write(std::vector<T>(all.begin(), all.end()));
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
    to += libpool::bytes_of(x, std::vector<std::string_view>(contents));
  }

  template <class Channel>
  void messages(const Channel& all) const {
    (*this)(all.size());
    for (const auto& each : all) {
      (*this)(each.epoch, each.held, each.mark);
      batch(each.batch);
    }
  }

  template <class Tasks>
  void held(const Tasks& tasks) const {
    (*this)(tasks.size());
    for (const auto& each : tasks)
      (*this)(each.which, each.of, each.stops);
  }

  /// Writes a stream, with the messages that it keeps.
  template <class Batch>
  void write(stream_end<Batch> x) const {
    auto& stream = x.stream.stream();
    (*this)(x.stream.session(), stream.mark_beside(), x.kept(), x.has_asked);
    stream.repeat(
      [this](const libpool::stream_mark&, const Batch& kept) { batch(kept); });
  }

  std::string& to;
};

} // namespace

void link_world::encode(std::string& to, const node& at) const {
  const writer write{to};
  const auto& link = at.machine.link();
  write(link.session().value_or(session{}), link.begins_until(),
        link.next_tick(), at.epoch.value(), at.highest,
        fronts_.size() > 1 || how_.fronts > 0 ? at.heard : instant{}, at.hellos,
        at.said_hello, at.by, at.is_whole, at.knows_up, at.is_leaving,
        at.machine.has_left(), at.machine.is_dismissed(), at.serves, at.newest,
        at.last, at.own);
  write.held(at.queue);
  write.held(at.running);
  if (!how_.queue)
    return;
  write(at.begun, at.held.tasks().size());
  for (const auto& [which, held] : at.held.tasks())
    write(which, held.task, held.result.value_or(0));
}

/// Writes a front. The pool of a front that has ended has no effect. Whether
/// the pool was late has an effect on nodes that were silent for most of a
/// lease before a second delay begins.
void link_world::encode(std::string& to, const front& of) const {
  const writer write{to};
  write(of.is, of.empty, of.served);
  for (const auto& each : of.fates)
    encode(to, each);
  for (const auto& each : of.lines)
    write.messages(each.down);
  if (of.is == life::has_ended)
    return;
  const auto& open = of.pool.sessions().sessions();
  if (!open.empty())
    write(of.due, of.looked == time_,
          how_.until > link_setting::lease && of.was_late,
          of.continued == time_);
  if (how_.forgives_no_pause)
    write(of.looked);
  if (of.is == life::stands_still)
    write(of.stopped);
  for (const auto& [which, each] : open) {
    auto wants = of.pool.wants(which);
    write(which, each.by, each.attempt, each.heard, each.is_ready, each.is_cut,
          wants && wants->window > 0,
          wants && wants->service > libpool::duration{0});
  }
  to += '|';
  write(of.sessions);
  for (const auto& each : of.lines) {
    write(each.is_known, each.was_asked, each.of_pool);
    write.messages(each.up);
  }
  if (!how_.queue)
    return;
  write(of.adopts_until > now() ? of.adopts_until : instant{});
  for (std::size_t i = 0; i < how_.tasks; ++i)
    write(of.held.holder_of(submission_of(i)).value_or(session{}));
  auto held = of.held;
  for (const auto& entry : open)
    write(held.take_settled(entry.first));
  for (const auto& each : of.lines)
    write(each.held);
}

void link_world::encode(std::string& to, const fate& of) const {
  const writer write{to};
  write(of.is, of.at, of.is_out, of.is_wanted, of.is_recalled, of.has_begun,
        of.begins_no_more, of.is_forgotten, of.attempts, of.losses, of.runs,
        of.outcomes);
  if (how_.queue)
    write(of.given, of.asks, of.is_adopted, of.is_stored);
}

void link_world::encode(std::string& to) const {
  to.clear();
  const writer write{to};
  write(time_, how_.drops, how_.cuts, how_.forgeries, how_.expelled,
        how_.leaving, how_.restarts, how_.unwanted, how_.recalls, how_.unread,
        how_.pauses, how_.fronts, programs_);
  for (const auto& each : fronts_)
    encode(to, each);
  for (const auto& each : queue_)
    write(each.given, each.is_stored, each.holder, each.begins);
  for (const auto& each : nodes_)
    encode(to, each);
  to += broken_;
}

std::string link_world::words_for(const link_step& step) const {
  auto words = "front " + text(step.front + 1U) + ", node or session "
               + text(step.node) + ", task " + text(step.task + 1U) + ": "
               + step.words;
  const auto& with = fronts_[step.front].lines;
  if (step.act == &link_world::arrive_at_pool)
    return words + ' ' + test::words_for(with[step.node].up.front().batch);
  if (step.act == &link_world::arrive_at_node)
    return words + ' ' + test::words_for(with[step.node].down.front().batch);
  return words;
}

} // namespace test

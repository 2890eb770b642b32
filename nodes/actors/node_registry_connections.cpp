/// How the node registry exchanges message batches with nodes.

#include "libpool/nodes/actors/node_registry.hpp"
#include "libpool/nodes/protocol/epochs.hpp"

#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

bool have_common(const protocol_range& x, const protocol_range& y) noexcept {
  return x.oldest <= y.newest && y.oldest <= x.newest;
}

} // namespace

void node_registry::take_batch(const peer& from,
                               const received_bytes& message) {
  auto opened = open_envelope(message.bytes);
  auto read = opened ? read_batch_to_pool(opened->batch) : std::nullopt;
  if (!read || has_ended_) {
    ++strays_;
    return;
  }
  if (std::holds_alternative<hello>(read->batch.content)
      && !let_in(from, read->who))
    return;
  auto found = by_peer_.find(from);
  if (found == by_peer_.end()
      || !is_for_run(read->batch, opened->head.epoch,
                     lines_[from.first].epoch)) {
    ++strays_;
    if (auto reply = answer_to_stranger(read->batch)) {
      auto bytes = bytes_of(*reply, {}, envelope_room);
      say(from, {}, bytes);
    }
    return;
  }
  if (!note_mark(connections_.at(found->second), opened->head, read->batch))
    return;
  std::size_t size = 0;
  for (const auto& each : read->contents)
    size += each.size();
  ++batches_;
  note_results(message, *read);
  if (auto* which = std::get_if<unread>(&read->batch.content))
    unread_[static_cast<std::uint64_t>(which->task)] = std::move(which->why);
  end_.told(found->second, read->batch, size, now());
}

/// Returns whether the node may serve. If not, sends it a rejection.
bool node_registry::let_in(const peer& from, const introduction& who) {
  if (!have_common(who.speaks, spoken_protocols)) {
    ++turned_away_;
    auto bytes = bytes_of(rejection::protocol, envelope_room);
    say(from, {}, bytes);
    return false;
  }
  if (auto known = by_peer_.find(from); known != by_peer_.end()) {
    connections_.at(known->second).who = who; // the program may have changed
    return true;
  }
  connection_number number{++last_connection_};
  by_peer_.emplace(from, number);
  connections_.emplace(number, connection{from, who, {}});
  return true;
}

bool node_registry::has_session(const connection& with) const {
  return end_.sessions().sessions().count(with.stream.session()) > 0;
}

/// Returns whether the pool must handle the batch now.
bool node_registry::note_mark(connection& with, const envelope& head,
                              const batch_to_pool& batch) {
  auto what = with.stream.note(batch.session, head.mark);
  if (what.must_repeat) {
    ++resumed_;
    with.stream.stream().repeat(
      [&](const stream_mark& mark, std::string& bytes) {
        say(with.with, mark, bytes);
      });
  }
  if (what.must_ask) {
    auto bytes = bytes_of(batch_to_node{batch.session, resend{}}, {},
                          envelope_room);
    say(with.with, with.stream.mark_beside(batch.session, true), bytes);
  }
  if (!what.is_next && batch.session != with.stream.session())
    ++strays_;
  return what.is_next;
}

/// `batch` has room for an envelope.
void node_registry::say(const peer& to, const stream_mark& mark,
                        std::string& batch) {
  if (to.first < lines_.size() && lines_[to.first].way != nullptr)
    lines_[to.first].way->say(
      to.second, put_in_envelope({lines_[to.first].epoch, mark}, batch));
}

void node_registry::send(connection& to, const batch_to_node& batch) {
  auto sent = contents_of(batch);
  std::vector<std::string_view> contents;
  contents.reserve(sent.size());
  for (const auto& each : sent)
    contents.emplace_back(*each);
  auto bytes = bytes_of(batch, contents, envelope_room);
  if (std::holds_alternative<welcome>(batch.content))
    to.stream.enter(batch.session);
  if (is_beside_stream(batch))
    return say(to.with, to.stream.mark_beside(batch.session, false), bytes);
  auto mark = to.stream.add(batch.session, std::move(bytes));
  say(to.with, mark, to.stream.stream().newest());
}

} // namespace libpool

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

void node_registry::take_batch(const peer& remote,
                               const received_bytes& message) {
  auto opened = open_envelope(message.bytes);
  auto read = opened ? read_batch_to_pool(opened->batch) : std::nullopt;
  if (!read || has_ended_) {
    ++strays_;
    return;
  }
  if (std::holds_alternative<hello>(read->batch.content)
      && !let_in(remote, read->who))
    return;
  auto found = by_peer_.find(remote);
  if (found == by_peer_.end()
      || !is_for_run(read->batch, opened->head.epoch,
                     lines_[remote.first].epoch)) {
    ++strays_;
    if (auto reply = answer_to_stranger(read->batch)) {
      auto bytes = bytes_of(*reply, {}, envelope_room);
      say(remote, {}, bytes);
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
  if (auto* type = std::get_if<unread>(&read->batch.content))
    unread_[static_cast<std::uint64_t>(type->task)] = std::move(type->why);
  end_.told(found->second, read->batch, size, now());
}

/// Returns whether the node may serve. If not, sends it a rejection.
bool node_registry::let_in(const peer& remote, const introduction& who) {
  if (!have_common(who.speaks, spoken_protocols)) {
    ++turned_away_;
    auto bytes = bytes_of(rejection::protocol, envelope_room);
    say(remote, {}, bytes);
    return false;
  }
  if (auto known = by_peer_.find(remote); known != by_peer_.end()) {
    connections_.at(known->second).who = who; // the program may have changed
    return true;
  }
  connection_number number{++last_connection_};
  by_peer_.emplace(remote, number);
  connections_.emplace(number, connection{remote, who, {}});
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
void node_registry::say(const peer& remote, const stream_mark& mark,
                        std::string& batch) {
  if (remote.first < lines_.size() && lines_[remote.first].way != nullptr)
    lines_[remote.first].way->say(
      remote.second,
      put_in_envelope({lines_[remote.first].epoch, mark}, batch));
}

void node_registry::send(connection& entry, const batch_to_node& batch) {
  auto sent = contents_of(batch);
  std::vector<std::string_view> contents;
  contents.reserve(sent.size());
  for (const auto& each : sent)
    contents.emplace_back(*each);
  auto bytes = bytes_of(batch, contents, envelope_room);
  if (std::holds_alternative<welcome>(batch.content))
    entry.stream.enter(batch.session);
  if (is_beside_stream(batch))
    return say(entry.with, entry.stream.mark_beside(batch.session, false),
               bytes);
  auto mark = entry.stream.add(batch.session, std::move(bytes));
  say(entry.with, mark, entry.stream.stream().newest());
}

} // namespace libpool

#include "libpool/nodes/nats/front_records.hpp"

#include <sstream>
#include <string_view>
#include <utility>

namespace libpool {

namespace {

constexpr const char* word_of_closed = "closed";

std::string words_of(const front_record& record) {
  std::string result = record.is_closed ? word_of_closed : "open";
  for (auto each : record.nodes)
    result += ' ' + std::to_string(each);
  return result;
}

front_record record_in(std::string_view text) {
  std::istringstream words{std::string{text}};
  std::string state;
  words >> state;
  front_record result;
  result.is_closed = state == word_of_closed;
  for (std::uint64_t each = 0; words >> each;)
    result.nodes.push_back(each);
  return result;
}

} // namespace

// The name of a client has hexadecimal digits after an underscore.
front_records::front_records(const work_streams& in, std::uint64_t run)
  : stream_(in.results), subject_(in.result + "_fronts."), run_(run) {
  // nop
}

front_records::outcome
front_records::store(jsCtx* with, const std::vector<std::uint64_t>& nodes,
                     bool may_be_closed) {
  if (auto stored = write(with, run_, {false, nodes}, place_); stored != 0) {
    place_ = stored;
    return outcome::stored;
  }
  auto found = read(with, run_);
  if (found.status == NATS_NOT_FOUND) {
    if (place_ != 0 && may_be_closed)
      return outcome::refused;
    place_ = 0; // the servers have lost it
  } else if (found.status == NATS_OK) {
    if (found.record.is_closed)
      return outcome::refused;
    place_ = found.place; // the answer was lost
  }
  return outcome::unknown;
}

bool front_records::look(jsCtx* with, std::uint64_t front) {
  if (seen_.count(front) > 0)
    return true;
  auto found = read(with, front);
  if (!is_answer(found.status))
    return false;
  seen_.emplace(front, std::move(found));
  return true;
}

front_verdict front_records::close(jsCtx* with, std::uint64_t front,
                                   const std::vector<std::uint64_t>& serving) {
  auto found = seen_.find(front);
  if (found == seen_.end())
    return front_verdict::changed;
  auto& [status, record, place] = found->second;
  if (status == NATS_NOT_FOUND || !have_all_changed(record, serving))
    return front_verdict::may_have_begun;
  if (std::exchange(record.is_closed, true)
      || write(with, front, record, place) != 0)
    return front_verdict::never_began;
  seen_.erase(found);
  return front_verdict::changed;
}

front_records::entry front_records::read(jsCtx* with,
                                         std::uint64_t front) const {
  auto found = last_message(with, stream_, subject_of(front));
  if (found.status != NATS_OK)
    return {found.status, {}, 0};
  auto* message = found.message.get();
  return {NATS_OK, record_in(bytes_in(message)), natsMsg_GetSequence(message)};
}

/// Stores a record if the store has the record at the place `former`, or none
/// if `former` is 0. Returns its place; 0 if the servers have not confirmed it.
std::uint64_t front_records::write(jsCtx* with, std::uint64_t front,
                                   const front_record& record,
                                   std::uint64_t former) const {
  auto text = words_of(record);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.ExpectLastSubjectSeq = former;
  options.ExpectNoMessage = former == 0;
  jsPubAck* answer = nullptr;
  auto status = js_Publish(&answer, with, subject_of(front).c_str(),
                           text.data(), static_cast<int>(text.size()), &options,
                           nullptr);
  auto result = status == NATS_OK ? answer->Sequence : 0;
  jsPubAck_Destroy(answer);
  return result;
}

std::string front_records::subject_of(std::uint64_t front) const {
  return subject_ + std::to_string(front);
}

} // namespace libpool

#include "libpool/nodes/nats/failure_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace libpool {

namespace {

/// Texts of a failure, with their headers and maximum sizes in bytes. Each
/// failure has the first one.
struct failure_text {
  const char* header;
  std::string work_failure::*text;
  std::size_t most;
};

constexpr std::array<failure_text, 5> failure_texts{
  {{"Libpool-Error", &work_failure::error, 60},
   {"Libpool-Reason", &work_failure::reason, 400},
   {"Libpool-Node", &work_failure::node, 60},
   {"Libpool-Kind", &work_failure::kind, 100},
   {"Libpool-Trace", &work_failure::trace, 100}}};

/// Part between the id of a failed submission and the place of the failed
/// message. Ids have hexadecimal digits after an underscore.
constexpr std::string_view mark_of_place = "_again";

/// Returns at most `most` bytes of a text, without control characters, which
/// could begin another header.
std::string header_text(std::string_view text, std::size_t most) {
  std::string result{text.substr(0, most)};
  for (auto& each : result)
    if (static_cast<unsigned char>(each) < ' ' || each == '\x7f')
      each = ' ';
  return result;
}

/// Returns the name that `nats_token` has made a token of.
std::string name_in(std::string_view token) {
  std::string result;
  for (std::size_t i = 0; i < token.size(); ++i)
    if (token[i] == '_' && i + 2 < token.size()) {
      std::string digits{token.substr(i + 1, 2)};
      result += static_cast<char>(std::strtol(digits.c_str(), nullptr, 16));
      i += 2;
    } else if (token[i] != '_') {
      result += token[i];
    }
  return result;
}

/// Returns whether the servers have what was asked for.
bool has(natsStatus status) {
  if (!is_answer(status))
    throw std::runtime_error(
      "the NATS server does not serve the durable queue: " + text_of(status));
  return status == NATS_OK;
}

} // namespace

header_list headers_of(const work_failure& failure) {
  header_list result{{attempts_header, std::to_string(failure.attempts)}};
  for (const auto& each : failure_texts)
    if (const auto& text = failure.*each.text; !text.empty())
      result.emplace_back(each.header, header_text(text, each.most));
  return result;
}

std::optional<work_failure> failure_in(natsMsg* message) {
  if (header_of(message, failure_texts[0].header) == nullptr)
    return std::nullopt;
  work_failure result;
  result.attempts = number_in(message, attempts_header);
  for (const auto& each : failure_texts)
    if (const auto* text = header_of(message, each.header))
      result.*each.text = text;
  return result;
}

submission_subject::submission_subject(const std::string& text)
  : name(text, 0, text.find(mark_of_place)) {
  if (name.size() < text.size())
    place = std::strtoull(text.c_str() + name.size() + mark_of_place.size(),
                          nullptr, 10);
}

outgoing failure_store::message_for(const std::string& name,
                                    const std::string& content,
                                    const work_failure& failure,
                                    std::uint64_t former) const {
  outgoing result;
  result.subject = streams_.failed + submission_subject{name}.name;
  result.bytes = content;
  result.id = streams_.failed + name;
  result.former = former;
  result.headers = headers_of(failure);
  return result;
}

void failure_store::remove_origin(jsCtx* with, const std::string& name) const {
  submission_subject subject{name};
  auto found = read(with, subject.place);
  if (found != nullptr
      && natsMsg_GetSubject(found.get()) == streams_.failed + subject.name)
    drop(with, subject.place);
}

/// Returns the failed message at the place; nullptr if there is none.
message_owner failure_store::read(jsCtx* with, std::uint64_t place) const {
  natsMsg* message = nullptr;
  auto found = has(js_GetMsg(&message, with, streams_.failures.c_str(), place,
                             nullptr, nullptr));
  return message_owner{found ? message : nullptr};
}

std::uint64_t failure_store::count(jsCtx* with) const {
  jsStreamInfo* found = nullptr;
  auto exists = has(js_GetStreamInfo(&found, with, streams_.failures.c_str(),
                                     nullptr, nullptr));
  auto result = exists ? found->State.Msgs : 0;
  jsStreamInfo_Destroy(found);
  return result;
}

std::vector<failed_message>
failure_store::list(jsCtx* with, std::uint64_t first, std::size_t most) const {
  using std::chrono::system_clock;
  std::vector<failed_message> result;
  auto all = streams_.failed + ">";
  jsDirectGetMsgOptions next;
  jsDirectGetMsgOptions_Init(&next);
  next.Sequence = std::max<std::uint64_t>(first, 1);
  next.NextBySubject = all.c_str();
  while (result.size() < most) {
    natsMsg* message = nullptr;
    auto found = has(js_DirectGetMsg(&message, with, streams_.failures.c_str(),
                                     nullptr, &next));
    message_owner owner{message};
    if (!found)
      return result;
    auto& made = result.emplace_back();
    static_cast<work_failure&>(made) = failure_in(message).value_or(made);
    made.number = natsMsg_GetSequence(message);
    made.time = system_clock::time_point{
      std::chrono::duration_cast<system_clock::duration>(
        std::chrono::nanoseconds{natsMsg_GetTime(message)})};
    auto name = name_of(message);
    made.client = name_in(name.substr(0, name.find('.')));
    made.id = name_in(name.substr(name.find('.') + 1));
    made.bytes = bytes_in(message).size();
    next.Sequence = made.number + 1;
  }
  return result;
}

/// If the queue has a submission of the failed message, it was submitted.
/// Otherwise the submission is stored unless the queue had it a short time ago,
/// or does not begin because its result is there.
bool failure_store::submit_again(jsCtx* with, std::uint64_t place) const {
  auto failed = read(with, place);
  if (failed == nullptr)
    return false;
  auto* message = failed.get();
  auto subject = streams_.work + name_of(message) + std::string{mark_of_place}
                 + std::to_string(place);
  if (has(last_message(with, streams_.queue, subject).status))
    return true;
  natsMsg* made = nullptr;
  auto bytes = bytes_in(message);
  has(natsMsg_Create(&made, subject.c_str(), nullptr, bytes.data(),
                     static_cast<int>(bytes.size())));
  message_owner submission{made};
  auto attempts = std::to_string(number_in(message, attempts_header));
  has(natsMsgHeader_Set(made, attempts_header, attempts.c_str()));
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = subject.c_str();
  return has(js_PublishMsg(nullptr, with, made, &options, nullptr));
}

/// Returns the name of the submission of the failed message.
std::string failure_store::name_of(natsMsg* failed) const {
  return std::string{natsMsg_GetSubject(failed)}.substr(streams_.failed.size());
}

bool failure_store::drop(jsCtx* with, std::uint64_t place) const {
  return read(with, place) != nullptr
         && has(js_DeleteMsg(with, streams_.failures.c_str(), place, nullptr,
                             nullptr));
}

} // namespace libpool

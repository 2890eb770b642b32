#include "libpool/nodes/nats/work_messages.hpp"

#include "libpool/nodes/nats/run_of_program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <utility>

namespace libpool {

namespace {

/// Returns a claim as text: numbers, with spaces between them.
std::string text_of(const work_claim& claim) {
  auto result = std::to_string(claim.unused);
  for (const auto& each : claim.takings)
    result += ' ' + std::to_string(each.number) + ' '
              + std::to_string(each.front);
  return result;
}

} // namespace

std::string claim_subject(const work_streams& streams,
                          const taken_submission& work) {
  return streams.result + work.name + "." + std::to_string(work.claims.claim());
}

work_claim claim_in(natsMsg* message) {
  std::istringstream words{std::string{bytes_in(message)}};
  work_claim result;
  words >> result.unused;
  for (work_taking each; words >> each.number >> each.front;)
    result.takings.push_back(each);
  return result;
}

answered_message::answered_message(const std::string& token)
  : kind(token, 0, token.find('.')) {
  char* end = nullptr;
  const auto* rest = token.c_str() + std::min(kind.size() + 1, token.size());
  number = std::strtoull(rest, &end, 10);
  claim = std::strtoull(end + (*end == '.' ? 1 : 0), nullptr, 10);
}

work_messages::work_messages(const work_streams& streams,
                             const durable_options& options,
                             std::uint64_t front)
  : streams_(streams), options_(options), failures_(streams), front_(front) {
  // nop
}

std::optional<taken_submission>
work_messages::submission_in(natsMsg* message) const {
  using std::chrono::system_clock;
  jsMsgMetaData* read = nullptr;
  if (natsMsg_GetMetaData(&read, message) != NATS_OK)
    return std::nullopt;
  auto place = read->Sequence.Stream;
  auto age = system_clock::now().time_since_epoch()
             - std::chrono::nanoseconds{read->Timestamp};
  auto is_repeated = read->NumDelivered > 1
                     || header_of(message, repeated_header) != nullptr;
  jsMsgMetaData_Destroy(read);
  auto name =
    std::string{natsMsg_GetSubject(message)}.substr(streams_.work.size());
  submission_claims claims{{draw_run(), front_},
                           number_in(message, unused_claims_header),
                           is_repeated && age > options_.keep_results,
                           options_.retries};
  taken_submission result{place, name, natsMsg_GetReply(message),
                          std::make_shared<std::string>(bytes_in(message)),
                          std::move(claims)};
  result.former = submission_subject{name}.place;
  result.earlier_attempts = number_in(message, attempts_header);
  return result;
}

/// The streams detect a repeated message by its `id`.
outgoing work_messages::message_for(const taken_submissions::need& step,
                                    const taken_submission& work) const {
  auto number = "." + std::to_string(step.number);
  auto id = std::to_string(front_) + number;
  outgoing result;
  if (step.step == work_step::failure) {
    result = failures_.message_for(work.name, *work.content, *work.failure,
                                   work.former);
    result.token = "kept" + number;
  } else if (step.step == work_step::claim) {
    auto claim = "." + std::to_string(work.claims.claim());
    result = renewed_claim(work);
    result.token = "claimed" + number + claim;
    result.id = id + claim;
    result.former = 0;
  } else if (step.step == work_step::result) {
    result.subject = streams_.result + work.name;
    result.bytes = *work.result;
    result.token = "stored" + number;
    result.former = 0;
    if (work.failure)
      result.headers = headers_of(*work.failure);
  } else {
    result.subject = streams_.work + work.name;
    result.bytes = *work.content;
    result.token = "stored" + number;
    result.id = id;
    result.headers = {
      {unused_claims_header, std::to_string(work.claims.unused())},
      {attempts_header, std::to_string(work.earlier_attempts)}};
  }
  return result;
}

outgoing work_messages::renewed_claim(const taken_submission& work) const {
  outgoing result;
  result.subject = claim_subject(streams_, work);
  result.bytes = text_of(work.claims.content());
  result.token = "renewed";
  return result;
}

} // namespace libpool

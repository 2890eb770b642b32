#include "broker.hpp"

#include "results.hpp"

namespace durable {

namespace {

using nats::check;
using nats::made;

constexpr int patience_ms = 2'000;
constexpr const char* why_header = "Why";

nats::message message_of(const dead_letter& letter) {
  const std::string doing = "cannot create a message";
  auto out = made<nats::message>(doing, [&](natsMsg** to) {
    return natsMsg_Create(to, broker::dead_subject, nullptr, letter.path.data(),
                          static_cast<int>(letter.path.size()));
  });
  check(natsMsgHeader_Set(out.get(), why_header, letter.why.c_str()), doing);
  return out;
}

dead_letter letter_of(natsMsg* message) {
  dead_letter out;
  out.path.assign(natsMsg_GetData(message),
                  static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  const char* why = nullptr;
  if (natsMsgHeader_Get(message, why_header, &why) == NATS_OK)
    out.why = why;
  return out;
}

/// By these numbers a server knows again what it has had already.
jsPubOptions numbered(const std::string& number) {
  jsPubOptions out;
  jsPubOptions_Init(&out);
  out.MsgId = number.c_str();
  return out;
}

} // namespace

broker::broker(const std::string& url)
  : connection_(nats::connect(url)),
    jetstream_(
      made<nats::jetstream>("cannot use JetStream", [this](jsCtx** to) {
        jsOptions how;
        jsOptions_Init(&how);
        how.Wait = patience_ms;
        return natsConnection_JetStream(to, connection_.get(), &how);
      })) {
  add_stream(jobs, job_subject, js_WorkQueuePolicy);
  add_stream(dead, dead_subject, js_LimitsPolicy);
}

bool broker::submit(const std::string& path) {
  const auto number = result_name(path);
  auto how = numbered(number);
  const auto ack =
    made<nats::publish_ack>("cannot submit " + path, [&](jsPubAck** to) {
      return js_Publish(to, jetstream_.get(), job_subject, path.data(),
                        static_cast<int>(path.size()), &how, nullptr);
    });
  return !ack->Duplicate;
}

void broker::bury(const dead_letter& letter) {
  const auto number = result_name(letter.path);
  auto how = numbered(number);
  const auto message = message_of(letter);
  check(js_PublishMsg(nullptr, jetstream_.get(), message.get(), &how, nullptr),
        "cannot add a job to the dead jobs: " + letter.path);
}

/// Asks the consumer, since the stream may hold more: a server that was killed
/// may have again what it had deleted, though no consumer gets it.
std::uint64_t broker::count_jobs() {
  jsConsumerInfo* raw = nullptr;
  const auto status = js_GetConsumerInfo(&raw, jetstream_.get(), jobs, workers,
                                         nullptr, nullptr);
  const nats::consumer_info info{raw};
  if (status == NATS_NOT_FOUND)
    return info_of(jobs)->State.Msgs; // nobody has ever worked
  check(status, "cannot count the jobs");
  return info->NumPending + static_cast<std::uint64_t>(info->NumAckPending);
}

std::vector<dead_letter> broker::dead_letters() {
  std::vector<dead_letter> out;
  const auto state = info_of(dead)->State;
  if (state.Msgs > 0)
    for (auto i = state.FirstSeq; i <= state.LastSeq; ++i)
      if (const auto message = message_at(dead, i))
        out.push_back(letter_of(message.get()));
  return out;
}

void broker::flush() noexcept {
  natsConnection_FlushTimeout(connection_.get(), patience_ms);
}

void broker::add_stream(const char* name, const char* subject,
                        jsRetentionPolicy retention) {
  jsStreamConfig how;
  jsStreamConfig_Init(&how);
  how.Name = name;
  how.Subjects = &subject;
  how.SubjectsLen = 1;
  how.Retention = retention;
  how.Storage = js_FileStorage;
  check(js_AddStream(nullptr, jetstream_.get(), &how, nullptr, nullptr),
        std::string{"cannot create the stream "} + name);
}

nats::stream_info broker::info_of(const char* stream) {
  return made<nats::stream_info>(
    std::string{"cannot read the state of the stream "} + stream,
    [&](jsStreamInfo** to) {
      return js_GetStreamInfo(to, jetstream_.get(), stream, nullptr, nullptr);
    });
}

/// Empty if it was deleted.
nats::message broker::message_at(const char* stream, std::uint64_t number) {
  natsMsg* out = nullptr;
  js_GetMsg(&out, jetstream_.get(), stream, number, nullptr, nullptr);
  return nats::message{out};
}

} // namespace durable

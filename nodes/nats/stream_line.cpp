#include "libpool/nodes/nats/stream_line.hpp"

#include "libpool/nodes/nats/run_of_program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace libpool {

namespace {

constexpr duration longest_stream_call = std::chrono::seconds{2};

/// Errors of a server: the last message of a stream, or of a subject, is not
/// the expected one.
constexpr std::array wrong_last_messages{10071, 10164};

/// State of the callbacks of a subscription. It lives until the last callback.
struct listening {
  std::string inbox;
  std::shared_ptr<stream_line::receiver> heard;
};

void on_stream_message(natsConnection*, natsSubscription*, natsMsg* message,
                       void* closure) {
  const auto& target = *static_cast<listening*>(closure);
  message_owner owner{message};
  std::string subject{natsMsg_GetSubject(message)};
  auto is_direct = subject.compare(0, target.inbox.size(), target.inbox) == 0;
  (*target.heard)(is_direct ? subject.substr(target.inbox.size()) : "",
                  std::move(owner));
}

void drop_listening(void* closure) {
  delete static_cast<listening*>(closure);
}

/// Returns the answer of a stream. Throws nlohmann::json::exception if it has
/// not the expected form.
stream_answer answer_in(const nlohmann::json& answer) {
  stream_answer result;
  result.is_repeated = answer.value("duplicate", false);
  auto error = answer.find("error");
  result.is_stored = error == answer.end();
  if (result.is_stored)
    return result;
  auto code = error->value("err_code", 0);
  result.is_taken = std::count(wrong_last_messages.begin(),
                               wrong_last_messages.end(), code)
                    > 0;
  result.why = "the NATS server refuses: "
               + error->value("description", error->dump());
  return result;
}

} // namespace

std::string_view bytes_in(natsMsg* message) {
  return {natsMsg_GetData(message),
          static_cast<std::size_t>(natsMsg_GetDataLength(message))};
}

stream_answer stream_answer_in(natsMsg* message) {
  stream_answer result;
  if (header_of(message, "Status")
      != nullptr) { // nobody receives messages of the subject
    result.why =
      "the servers have no durable queue for the pool: no program has "
      "served it yet";
    return result;
  }
  try {
    return answer_in(nlohmann::json::parse(bytes_in(message)));
  } catch (const nlohmann::json::exception& e) {
    result.why = "the answer of the NATS server cannot be read: "
                 + std::string{e.what()};
    return result;
  }
}

const char* header_of(natsMsg* message, const char* name) {
  const char* value = nullptr;
  return natsMsgHeader_Get(message, name, &value) == NATS_OK ? value : nullptr;
}

std::uint64_t number_in(natsMsg* message, const char* name) {
  const auto* value = header_of(message, name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : 0;
}

stream_line::stream_line(const nats_options& basis, std::string inbox)
  : inbox_(inbox + "." + std::to_string(draw_run()) + "."),
    jetstream_(basis, [prefix = std::move(inbox)](natsOptions* options) {
      natsOptions_SetCustomInboxPrefix(options, prefix.c_str());
    }) {
  // nop
}

std::string stream_line::open(const std::shared_ptr<receiver>& heard) {
  close();
  auto options = jetstream_options(longest_stream_call);
  if (auto why = jetstream_.open(options); !why.empty())
    return why;
  subscription_ = subscribe(inbox_ + ">", heard);
  return subscription_ != nullptr
           ? ""
           : jetstream_.close("the NATS server refuses: ", NATS_NOT_PERMITTED);
}

bool stream_line::listen(const std::string& subject,
                         const std::shared_ptr<receiver>& heard) {
  other_ = subscribe(subject, heard);
  return other_ != nullptr;
}

subscription_owner
stream_line::subscribe(const std::string& subject,
                       const std::shared_ptr<receiver>& heard) {
  auto* closure = new listening{inbox_, heard};
  natsSubscription* made = nullptr;
  auto status = natsConnection_Subscribe(&made, jetstream_.connection(),
                                         subject.c_str(), on_stream_message,
                                         closure);
  if (status == NATS_OK)
    natsSubscription_SetPendingLimits(made, -1, -1); // the owner has limits
  if (status == NATS_OK)
    natsSubscription_SetOnCompleteCB(made, drop_listening, closure);
  else
    drop_listening(closure);
  return subscription_owner{made};
}

void stream_line::close() {
  other_.reset();
  subscription_.reset();
  jetstream_.close();
}

void stream_line::say(const outgoing& message) {
  natsMsg* made = nullptr;
  auto status = natsMsg_Create(
    &made, message.subject.c_str(), (inbox_ + message.token).c_str(),
    message.bytes.data(), static_cast<int>(message.bytes.size()));
  message_owner owner{made};
  if (status == NATS_OK && !message.id.empty())
    status = natsMsgHeader_Set(made, "Nats-Msg-Id", message.id.c_str());
  if (status == NATS_OK && message.former)
    status = natsMsgHeader_Set(made, "Nats-Expected-Last-Subject-Sequence",
                               std::to_string(*message.former).c_str());
  for (const auto& [name, value] : message.headers)
    if (status == NATS_OK)
      status = natsMsgHeader_Set(made, name.c_str(), value.c_str());
  if (status == NATS_OK)
    natsConnection_PublishMsg(jetstream_.connection(), made);
}

} // namespace libpool

#include "libpool/observability/live/failed_json.hpp"

#include "libpool/actors/distributed.hpp"
#include "libpool/observability/live/json.hpp"
#include "libpool/observability/live/pictures.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <limits>
#include <stdexcept>
#include <string>

namespace libpool::live {

namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

/// Returns a time such as "2026-11-30T20:33:42Z".
std::string time_text(std::chrono::system_clock::time_point time) {
  auto seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ",
                            &parts);
  return {text.data(), size};
}

json json_of(const failed_message& message) {
  auto known = [](const std::string& text) {
    return text.empty() ? json{} : json(text);
  };
  return {{"number", message.number},    {"time", time_text(message.time)},
          {"client", message.client},    {"id", message.id},
          {"kind", known(message.kind)}, {"trace", known(message.trace)},
          {"bytes", message.bytes},      {"attempts", message.attempts},
          {"node", known(message.node)}, {"error", message.error},
          {"reason", message.reason}};
}

} // namespace

std::optional<std::uint64_t> asked_failed_message(const request& request,
                                                  reply& reply) {
  auto result = number_in(request.parameter("n"), largest);
  if (!result)
    reply.say(400, "n must be the number of a failed message, got '"
                     + request.parameter("n") + "'");
  return result;
}

std::shared_ptr<failed_messages> failed_messages_for(const caf::actor& handle,
                                                     const watched_pool& pool,
                                                     reply& reply) {
  auto result = failed_messages_of(handle);
  if (result == nullptr)
    reply.say(409, pool.name + " is not a managed pool with a durable queue");
  return result;
}

void list_failed(const watched_pool& pool, const request& request,
                 reply& reply) {
  constexpr std::size_t most = 100;
  auto is_one = request.parameters.count("n") > 0;
  auto first = is_one
                 ? asked_failed_message(request, reply)
                 : number_in(request.parameter("from"), largest).value_or(1);
  auto failed = first ? failed_messages_for(pool.handle(), pool, reply)
                      : nullptr;
  if (failed == nullptr)
    return;
  try {
    auto all = failed->list(*first, is_one ? 1 : most);
    if (is_one && (all.empty() || all[0].number != *first))
      return reply.say(404, pool.name + " has no failed message "
                              + std::to_string(*first));
    auto shown = json::array();
    for (const auto& each : all)
      shown.push_back(json_of(each));
    reply.set_content(text_of({{"failed", shown}}), "application/json");
  } catch (const std::runtime_error& why) {
    reply.say(503, why.what());
  }
}

} // namespace libpool::live

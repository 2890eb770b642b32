#include "libpool/observability/live/failed_json.hpp"

#include "libpool/actors/distributed.hpp"
#include "libpool/observability/live/json.hpp"
#include "libpool/observability/live/pictures.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// Calls `answer` with the failed messages of the pool and the number that the
/// parameter names. If there are none, answers with that.
template <class F>
void with_failed(const watched_pool& pool, const std::string& parameter,
                 reply& reply, F answer) {
  auto number = number_in(parameter, largest);
  if (!number)
    return reply.say(400, "n and from must be numbers from 1, got '" + parameter
                            + "'");
  auto failed = failed_messages_of(pool.handle());
  if (failed == nullptr)
    return reply.say(409,
                     pool.name + " is not a managed pool with a durable queue");
  try {
    if (!answer(*failed, *number))
      reply.say(404, pool.name + " has no failed message "
                       + std::to_string(*number));
  } catch (const std::runtime_error& why) {
    reply.say(503, why.what());
  }
}

} // namespace

void list_failed(const watched_pool& pool, const request& request,
                 reply& reply) {
  constexpr std::size_t most = 100;
  auto n = request.parameter_if_any("n");
  auto from = n ? n : request.parameter_if_any("from");
  auto list = [&](failed_messages& failed, std::uint64_t first) {
    auto shown = json::array();
    for (const auto& each : failed.list(first, n ? 1 : most))
      if (!n || each.number == first)
        shown.push_back(json_of(each));
    if (n && shown.empty())
      return false;
    reply.set_content(text_of({{"failed", shown}}), "application/json");
    return true;
  };
  with_failed(pool, from.value_or("1"), reply, list);
}

void change_failed(const watched_pool& pool, bool removes,
                   const request& request, reply& reply) {
  auto change = [&](failed_messages& failed, std::uint64_t number) {
    if (!(removes ? failed.drop(number) : failed.submit_again(number)))
      return false;
    reply.say(202, "failed message " + std::to_string(number) + " of "
                     + pool.name + (removes ? " is removed" : " is submitted"));
    return true;
  };
  with_failed(pool, request.parameter("n"), reply, change);
}

} // namespace libpool::live

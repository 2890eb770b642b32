#include "libpool/observability/live/pool_command.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/observability/live/failed_json.hpp"
#include "libpool/observability/live/pictures.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace libpool::live {

namespace {

constexpr std::uint64_t most_workers = 65'536;

} // namespace

pool_command command_in(std::string_view path) {
  auto slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0)
    return {};
  auto what = path.substr(slash + 1);
  std::string pool{path.substr(0, slash)};
  using command = pool_command;
  for (auto [name, kind] : {std::pair{"drain", command::drain},
                            {"resize", command::resize},
                            {"pause", command::pause},
                            {"resume", command::resume},
                            {"cancel", command::cancel},
                            {"again_failed", command::again_failed},
                            {"drop_failed", command::drop_failed}})
    if (what == name)
      return {kind, std::move(pool)};
  return {};
}

namespace {

void resize(const caf::actor& handle, const watched_pool& pool,
            const request& request, reply& reply) {
  auto n = number_in(request.parameter("n"), most_workers);
  if (!n)
    return reply.say(400, "n must be a whole number between 1 and 65536, got '"
                            + request.parameter("n") + "'");
  actor_pool::resize(handle, *n);
  reply.say(202, pool.name + " gets " + std::to_string(*n)
                   + (*n == 1 ? " worker" : " workers"));
}

std::string words_for_flow(const std::string& name) {
  return name.empty() ? "the flow without a name" : "flow " + name;
}

/// Pauses or resumes the pool, or the flow or the node that the request names.
void pause(const caf::actor& handle, const watched_pool& pool,
           const pool_command& command, const request& request, reply& reply) {
  pause_scope scope;
  scope.flow = request.parameter_if_any("flow");
  scope.node = request.parameter("node");
  auto pauses = command.what == pool_command::pause;
  pauses ? actor_pool::pause(handle, scope) : actor_pool::resume(handle, scope);
  auto part = scope.flow            ? words_for_flow(*scope.flow) + " of "
              : !scope.node.empty() ? "node " + scope.node + " of "
                                    : std::string{};
  reply.say(202, part + pool.name + (pauses ? " is paused" : " is resumed"));
}

/// Cancels the messages with the id or of the flow that the request names, or
/// all messages.
void cancel(const caf::actor& handle, const watched_pool& pool,
            const request& request, reply& reply) {
  selection selection;
  selection.id = request.parameter("id");
  selection.flow = request.parameter_if_any("flow");
  selection.all = request.parameter("all") == "true";
  if (selection.is_empty())
    return reply.say(400, "name an id or a flow, or set all=true");
  auto counts = actor_pool::cancel(handle, selection);
  reply.say(202, pool.name + ": " + std::to_string(counts.waiting)
                   + " waiting messages were cancelled, handlers of "
                   + std::to_string(counts.running)
                   + " messages are asked to stop");
}

} // namespace

void carry_out(const pool_command& command, const watched_pool& pool,
               const request& request, reply& reply) {
  auto handle = pool.handle();
  if (!handle || !pool.is_managed)
    return reply.say(409, "the pool has ended, or is not a managed pool");
  try {
    switch (command.what) {
      case pool_command::drain:
        actor_pool::drain(handle);
        return reply.say(202, pool.name + " drains");
      case pool_command::pause:
      case pool_command::resume:
        return pause(handle, pool, command, request, reply);
      case pool_command::cancel:
        return cancel(handle, pool, request, reply);
      case pool_command::again_failed:
      case pool_command::drop_failed:
        return change_failed(pool, command.what == pool_command::drop_failed,
                             request, reply);
      default:
        return resize(handle, pool, request, reply);
    }
  } catch (const std::invalid_argument& why) {
    reply.say(400, why.what());
  }
}

} // namespace libpool::live

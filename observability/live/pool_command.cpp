#include "libpool/observability/live/pool_command.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/selection.hpp"
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
                            {"cancel", command::cancel}})
    if (what == name)
      return {kind, std::move(pool)};
  return {};
}

namespace {

void resize(const caf::actor& handle, const watched_pool& pool,
            const request& of, reply& to) {
  auto n = number_in(of.parameter("n"), most_workers);
  if (!n)
    return to.say(400, "n must be a whole number between 1 and 65536, got '"
                         + of.parameter("n") + "'");
  actor_pool::resize(handle, *n);
  to.say(202, pool.name + " gets " + std::to_string(*n)
                + (*n == 1 ? " worker" : " workers"));
}

std::string words_for_flow(const std::string& name) {
  return name.empty() ? "the flow without a name" : "flow " + name;
}

/// Pauses or resumes the pool, or the flow or the node that the request names.
void pause(const caf::actor& handle, const watched_pool& pool,
           const pool_command& command, const request& of, reply& to) {
  pause_scope which;
  which.flow = of.parameter_if_any("flow");
  which.node = of.parameter("node");
  auto pauses = command.what == pool_command::pause;
  pauses ? actor_pool::pause(handle, which) : actor_pool::resume(handle, which);
  auto part = which.flow            ? words_for_flow(*which.flow) + " of "
              : !which.node.empty() ? "node " + which.node + " of "
                                    : std::string{};
  to.say(202, part + pool.name + (pauses ? " is paused" : " is resumed"));
}

/// Cancels the messages with the id or of the flow that the request names, or
/// all messages.
void cancel(const caf::actor& handle, const watched_pool& pool,
            const request& of, reply& to) {
  selection which;
  which.id = of.parameter("id");
  which.flow = of.parameter_if_any("flow");
  which.all = of.parameter("all") == "true";
  if (which.is_empty())
    return to.say(400, "name an id or a flow, or set all=true");
  auto counts = actor_pool::cancel(handle, which);
  to.say(202, pool.name + ": " + std::to_string(counts.waiting)
                + " waiting messages were cancelled, handlers of "
                + std::to_string(counts.running)
                + " messages are asked to stop");
}

} // namespace

void carry_out(const pool_command& command, const watched_pool& pool,
               const request& of, reply& to) {
  auto handle = pool.handle();
  if (!handle || !pool.is_managed)
    return to.say(409, "the pool has ended, or is not a managed pool");
  try {
    switch (command.what) {
      case pool_command::drain:
        actor_pool::drain(handle);
        return to.say(202, pool.name + " drains");
      case pool_command::pause:
      case pool_command::resume:
        return pause(handle, pool, command, of, to);
      case pool_command::cancel:
        return cancel(handle, pool, of, to);
      default:
        return resize(handle, pool, of, to);
    }
  } catch (const std::invalid_argument& why) {
    to.say(400, why.what());
  }
}

} // namespace libpool::live

#include "libpool/live/pool_command.hpp"

#include "libpool/actors/actor_pool.hpp"
#include "libpool/live/pictures.hpp"

#include <cstdint>
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
  if (what == "drain")
    return {pool_command::drain, std::move(pool)};
  if (what == "resize")
    return {pool_command::resize, std::move(pool)};
  return {};
}

void carry_out(const pool_command& command, const watched_pool& pool,
               const request& of, reply& to) {
  auto handle = pool.handle();
  if (!handle || !pool.is_managed)
    return to.say(409, "the pool has ended, or is not a managed pool");
  if (command.what == pool_command::drain) {
    actor_pool::drain(handle);
    return to.say(202, pool.name + " drains");
  }
  auto n = number_in(of.parameter("n"), most_workers);
  if (!n)
    return to.say(400, "n must be a whole number between 1 and 65536, got '"
                         + of.parameter("n") + "'");
  actor_pool::resize(handle, *n);
  to.say(202, pool.name + " gets " + std::to_string(*n)
                + (*n == 1 ? " worker" : " workers"));
}

} // namespace libpool::live

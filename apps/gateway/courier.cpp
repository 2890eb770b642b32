#include "courier.hpp"

#include "port/sending.hpp"

#include "libpool/pool.hpp"

#include <array>
#include <utility>

namespace gateway {

namespace {

/// The answer to a request that the pool, or at last its worker, has answered
/// with an error.
answer answer_of(const caf::error& why, const caf::actor_system& system) {
  using libpool::errc;
  using meaning = std::pair<errc, unsigned>;
  constexpr std::array<meaning, 7> known{
    meaning{errc::flow_full, 429},        meaning{errc::queue_full, 503},
    meaning{errc::pool_closed, 503},      meaning{errc::no_workers, 503},
    meaning{errc::overloaded, 503},       meaning{errc::cancelled, 499},
    meaning{errc::deadline_exceeded, 504}};
  answer result;
  result.status = 502;
  for (const auto& [code, status] : known)
    if (why == code)
      result.status = status;
  result.content = libpool::render(why, system) + '\n';
  result.retry_after = libpool::retry_after(why);
  return result;
}

} // namespace

caf::behavior courier(caf::event_based_actor* self, const caf::actor& pool,
                      const reports& reports) {
  return {[=](const std::string& tenant, std::uint64_t number,
              const std::string& method, const std::string& target,
              const std::string& content, caf::timespan deadline) {
            port::request(self, pool, caf::infinite, tenant, number, method,
                          target, content, deadline)
              .then(
                [=](std::int32_t status, const std::string& type,
                    const std::string& result) {
                  reports.answered(
                    number, {static_cast<unsigned>(status), type, result});
                },
                [=](const caf::error& why) {
                  reports.answered(number, answer_of(why, self->system()));
                });
          },
          [=](std::uint64_t number) {
            const auto id = std::to_string(number);
            libpool::actor_pool::cancel(pool, libpool::selection::of_id(id));
          },
          [=](caf::sys_atom, libpool::drain_atom) {
            const auto ended = [reports] { reports.drained(); };
            port::request(self, pool, caf::infinite, caf::sys_atom{},
                          libpool::drain_atom{})
              .then(ended, [ended](const caf::error&) { ended(); });
          }};
}

} // namespace gateway

#include "libpool/actors/caf/port/errors.hpp"

#include "libpool/actors/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>

#include <cstdint>
#include <utility>

namespace libpool {

bool is_own(const caf::error& error) noexcept {
  return error && error.category() == caf::atom("libpool");
}

caf::error make_error(errc code, std::string context) {
  return {static_cast<std::uint8_t>(code), caf::atom("libpool"),
          caf::make_message(std::move(context))};
}

caf::error make_error(errc code, std::string context,
                      std::vector<caf::error> because) {
  return {static_cast<std::uint8_t>(code), caf::atom("libpool"),
          caf::make_message(std::move(context), std::move(because))};
}

caf::error make_error(errc code, duration time) {
  return {static_cast<std::uint8_t>(code), caf::atom("libpool"),
          caf::make_message(std::string{to_string(code)}, caf::timespan{time})};
}

caf::error with_context(const caf::error& error, caf::message context) {
  return {error.code(), error.category(), std::move(context)};
}

const std::vector<caf::error>* errors_behind_text(const caf::message& context) {
  using errors = std::vector<caf::error>;
  return context.match_elements<std::string, errors>()
           ? &context.get_as<errors>(1)
           : nullptr;
}

error_kind kind_of(const caf::error& error) noexcept {
  return {static_cast<std::uint64_t>(error.category()), error.code()};
}

std::string name_of(const error_kind& error) {
  const auto category = static_cast<caf::atom_value>(error.category);
  if (category == caf::atom("libpool"))
    return name_of(static_cast<errc>(error.code));
  if (category == caf::atom("system"))
    return to_string(static_cast<caf::sec>(error.code));
  if (category == caf::atom("exit"))
    return to_string(static_cast<caf::exit_reason>(error.code));
  return to_string(category) + ' ' + std::to_string(error.code);
}

caf::error dropped_request() {
  return make_error(errc::worker_failed, "the worker dropped the request");
}

std::string rendered(const caf::error& error) {
  return caf::actor_system_config::render(error);
}

std::string rendered(const caf::error& error, const caf::actor_system& system) {
  return system.render(error);
}

} // namespace libpool

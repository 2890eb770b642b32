#include "libpool/actors/caf/port/errors.hpp"

#include "libpool/actors/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <utility>

namespace libpool {

caf::error make_error(errc code) {
  return make_error(code, to_string(code));
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

bool is_crash(const caf::error& error) {
  return error == errc::worker_crashed || error == errc::retries_exhausted
         || error == errc::poisoned;
}

std::vector<caf::error> errors_in(const caf::error& error) {
  if (!error)
    return {};
  auto* all = errors_behind_text(error.context());
  return all != nullptr ? *all : std::vector{error};
}

const std::vector<caf::error>* errors_behind_text(const caf::message& context) {
  using errors = std::vector<caf::error>;
  return context.match_elements<std::string, errors>()
           ? &context.get_as<errors>(1)
           : nullptr;
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

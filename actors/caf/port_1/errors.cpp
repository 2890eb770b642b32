#include "libpool/actors/caf/port/errors.hpp"

#include "libpool/actors/error.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

caf::error make_error(errc code) {
  return make_error(code, to_string(code));
}

caf::error make_error(errc code, std::string context) {
  return {code, caf::make_message(std::move(context))};
}

caf::error make_error(errc code, std::string context,
                      std::vector<caf::error> because) {
  return {code, caf::make_message(std::move(context),
                                  error_list{std::move(because)})};
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
  return context.match_elements<std::string, error_list>()
           ? &context.get_as<error_list>(1).errors
           : nullptr;
}

/// Returns the error that CAF answers if a response promise is dropped.
caf::error dropped_request() {
  return caf::sec::broken_promise;
}

std::string rendered(const caf::error& error) {
  return to_string(error);
}

std::string rendered(const caf::error& error, const caf::actor_system&) {
  return to_string(error);
}

} // namespace libpool

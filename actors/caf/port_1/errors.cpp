#include "libpool/actors/caf/port/errors.hpp"

#include "libpool/actors/error.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>

#include <utility>

namespace libpool {

bool is_own(const caf::error& error) noexcept {
  return error && error.category() == caf::type_id_v<errc>;
}

caf::error make_error(errc code, std::string context) {
  return {code, caf::make_message(std::move(context))};
}

caf::error make_error(errc code, std::string context,
                      std::vector<caf::error> because) {
  return {code, caf::make_message(std::move(context),
                                  error_list{std::move(because)})};
}

caf::error make_error(errc code, duration time) {
  return {code,
          caf::make_message(std::string{to_string(code)}, caf::timespan{time})};
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

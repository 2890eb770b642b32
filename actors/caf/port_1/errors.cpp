#include "libpool/actors/caf/port/errors.hpp"

#include "libpool/actors/error.hpp"

#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>
#include <caf/type_id.hpp>

#include <string_view>
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

namespace {

/// Inspector that replaces the context of an error: CAF has no other way to
/// make an error of a category that is known only at run time.
class context_setter {
public:
  explicit context_setter(caf::message context) : context_(std::move(context)) {
    // nop
  }

  template <class T>
  context_setter& object(T&) {
    return *this;
  }

  template <class Data>
  bool field(std::string_view, Data& data) {
    data->context = std::move(context_);
    return true;
  }

  bool fields(bool is_set) {
    return is_set;
  }

private:
  caf::message context_;
};

} // namespace

caf::error with_context(const caf::error& error, caf::message context) {
  auto result = error;
  context_setter setter{std::move(context)};
  inspect(setter, result);
  return result;
}

const std::vector<caf::error>* errors_behind_text(const caf::message& context) {
  return context.match_elements<std::string, error_list>()
           ? &context.get_as<error_list>(1).errors
           : nullptr;
}

error_kind kind_of(const caf::error& error) noexcept {
  return {error.category(), error.code()};
}

namespace {

/// Returns the name without namespaces.
std::string last_part_of(const std::string& name) {
  const auto end = name.rfind(':');
  return end == std::string::npos ? name : name.substr(end + 1);
}

} // namespace

std::string name_of(const error_kind& error) {
  const auto category = static_cast<caf::type_id_t>(error.category);
  if (category == caf::type_id_v<errc>)
    return name_of(static_cast<errc>(error.code));
  if (category == caf::type_id_v<caf::sec>)
    return last_part_of(to_string(static_cast<caf::sec>(error.code)));
  if (category == caf::type_id_v<caf::exit_reason>)
    return last_part_of(to_string(static_cast<caf::exit_reason>(error.code)));
  return std::string{caf::query_type_name(category)} + ' '
         + std::to_string(error.code);
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

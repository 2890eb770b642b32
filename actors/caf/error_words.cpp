#include "libpool/actors/caf/error_words.hpp"

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/front_actor.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>

#include <boost/core/demangle.hpp>

#include <stdexcept>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace libpool {

namespace {

using errors = std::vector<caf::error>;

const char* kind_of(const caf::abstract_actor& actor) {
  auto* pool = dynamic_cast<const inner_pool*>(&actor);
  return pool == nullptr ? "actor" : pool->kind();
}

/// Nothing, if the error is none of libpool's, or has no context.
std::string own_words_of(const caf::error& error) {
  if (!is_own(error))
    return {};
  auto words = words_of(error.context());
  return words.empty() ? to_string(code_of(error)) : words;
}

std::string words_of_all(const errors& all) {
  std::string result;
  for (auto& each : all) {
    auto words = own_words_of(each);
    result += (result.empty() ? "" : "; ")
              + (words.empty() ? rendered(each) : words);
  }
  return result;
}

} // namespace

std::string name_of(const caf::abstract_actor& actor) {
  auto id = std::to_string(actor.id());
  if (dynamic_cast<const caf::actor_proxy*>(&actor) != nullptr)
    return "remote actor " + id;
  return std::string{kind_of(actor)} + ' ' + id + " (" + short_words_of(actor)
         + ')';
}

std::string short_words_of(const caf::abstract_actor& actor) {
  auto name = short_name_of(actor);
  return name.empty() || is_name_of_all(name)
           ? boost::core::demangle(typeid(actor).name())
           : name;
}

namespace {

/// CAF 0.17 has atoms as names, CAF 1 texts.
template <class Name>
std::string text_of(const Name& name) {
  if constexpr (std::is_same_v<Name, std::string>)
    return name;
  else
    return to_string(name);
}

} // namespace

std::string registered_name_of(const caf::strong_actor_ptr& actor) {
  for (const auto& [name, known] :
       actor->home_system->registry().named_actors())
    if (known == actor)
      return text_of(name);
  return {};
}

std::string words_of(const caf::error& error, const caf::actor_system& system) {
  auto words = own_words_of(error);
  return words.empty() ? rendered(error, system) : words;
}

std::string words_of(errc code, const caf::message& context) {
  std::string result = "libpool: ";
  std::string general = to_string(code);
  auto details = words_of(context);
  return result + general
         + (details.empty() || details == general ? "" : ": " + details);
}

std::string render(const caf::error& error, const caf::actor_system& system) {
  return is_own(error) ? words_of(code_of(error), error.context())
                       : rendered(error, system);
}

caf::error make_error(errc code) {
  return make_error(code, to_string(code));
}

bool is_crash(const caf::error& error) {
  return error == errc::worker_crashed || error == errc::retries_exhausted
         || error == errc::poisoned;
}

caf::error with_note(const caf::error& error, const std::string& note) {
  auto context = error.context();
  if (context.size() == 0)
    return with_context(error, caf::make_message(note));
  if (!context.match_element<std::string>(0))
    return with_context(error,
                        caf::message::concat(context, caf::make_message(note)));
  auto& text = context.get_mutable_as<std::string>(0);
  text += (text.empty() ? "" : "; ") + note;
  return with_context(error, std::move(context));
}

std::optional<duration> retry_after(const caf::error& error) {
  if (!error || !error.context().match_elements<std::string, caf::timespan>())
    return std::nullopt;
  return error.context().get_as<caf::timespan>(1);
}

std::vector<caf::error> errors_in(const caf::error& error) {
  if (!error)
    return {};
  auto* all = errors_behind_text(error.context());
  return all != nullptr ? *all : std::vector{error};
}

std::string words_of(const caf::message& context) {
  if (context.match_elements<std::string>()
      || context.match_elements<std::string, caf::timespan>())
    return context.get_as<std::string>(0);
  if (auto* all = errors_behind_text(context))
    return context.get_as<std::string>(0) + ": " + words_of_all(*all);
  return {};
}

caf::error invalid_argument(const std::string& why) {
  return caf::make_error(caf::sec::invalid_argument, "libpool: " + why);
}

void throw_if(const caf::error& refusal) {
  if (refusal && refusal != errc::pool_closed)
    throw std::invalid_argument(words_of(refusal.context()));
}

} // namespace libpool

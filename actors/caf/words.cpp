#include "libpool/actors/caf/words.hpp"

#include "libpool/actors/caf/inner_pool.hpp"
#include "libpool/core/errc.hpp"

#include <caf/actor_proxy.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/monitorable_actor.hpp>

#include <vector>

namespace libpool {

namespace {

using errors = std::vector<caf::error>;

const char* kind_of(const caf::abstract_actor& actor) {
  auto* pool = dynamic_cast<const inner_pool*>(&actor);
  return pool == nullptr ? "worker" : pool->kind();
}

/// Nothing, if the error is none of libpool's, or has no context.
std::string own_words_of(const caf::error& error) {
  if (error.category() != caf::atom("libpool"))
    return {};
  auto words = words_of(error.context());
  return words.empty() ? to_string(static_cast<errc>(error.code())) : words;
}

std::string words_of_all(const errors& all) {
  std::string result;
  for (auto& each : all) {
    auto words = own_words_of(each);
    result += (result.empty() ? "" : "; ")
              + (words.empty() ? caf::actor_system_config::render(each)
                               : words);
  }
  return result;
}

} // namespace

std::string name_of(const caf::abstract_actor& actor) {
  auto id = std::to_string(actor.id());
  if (dynamic_cast<const caf::actor_proxy*>(&actor) != nullptr)
    return "remote actor " + id;
  auto* named = dynamic_cast<const caf::monitorable_actor*>(&actor);
  auto name = named != nullptr ? " (" + std::string{named->name()} + ')'
                               : std::string{};
  return std::string{kind_of(actor)} + ' ' + id + name;
}

std::string words_of(const caf::error& error, const caf::actor_system& system) {
  auto words = own_words_of(error);
  return words.empty() ? system.render(error) : words;
}

std::string words_of(const caf::message& context) {
  if (context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  if (context.match_elements<std::string, errors>())
    return context.get_as<std::string>(0) + ": "
           + words_of_all(context.get_as<errors>(1));
  return {};
}

} // namespace libpool

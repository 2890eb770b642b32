#include "libpool/actors/caf/packing.hpp"

#include "libpool/actors/caf/port/content_bytes.hpp"
#include "libpool/actors/caf/port/content_reader.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/core/errc.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/node_id.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

namespace {

constexpr const char* no_handles =
  "handles of actors cannot be sent to other nodes";

using words_if_any = std::optional<std::string>;

words_if_any unknown_type(caf::actor_system& system,
                          const caf::message& content);

template <class Messages, class Content>
words_if_any unknown_type_in(caf::actor_system& system, const Messages& all,
                             Content content) {
  words_if_any result;
  for (auto i = all.begin(); i != all.end() && !result; ++i)
    result = unknown_type(system, content(*i));
  return result;
}

/// Returns the first unknown type inside an element that is or has messages.
words_if_any unknown_type_inside(caf::actor_system& system,
                                 const caf::message& content, std::size_t i) {
  using errors = std::vector<caf::error>;
  using messages = std::vector<caf::message>;
  auto context = [](const caf::error& error) { return error.context(); };
  auto itself = [](const caf::message& message) { return message; };
  if (content.match_element<caf::message>(i))
    return unknown_type(system, content.get_as<caf::message>(i));
  if (content.match_element<caf::error>(i))
    return unknown_type(system, content.get_as<caf::error>(i).context());
  if (content.match_element<errors>(i))
    return unknown_type_in(system, content.get_as<errors>(i), context);
  if (content.match_element<messages>(i))
    return unknown_type_in(system, content.get_as<messages>(i), itself);
  return std::nullopt;
}

/// The first type that CAF cannot write, in words. CAF would print it, and in a
/// message inside of another one it would leave out all that the message has.
words_if_any unknown_type(caf::actor_system& system,
                          const caf::message& content) {
  const auto& types = system.types();
  for (std::size_t i = 0; i < content.size(); ++i) {
    auto type = content.type(i);
    if (types.portable_name(type) == types.default_type_name())
      return "CAF does not know the type " + detail::name_of(type);
    if (auto inside = unknown_type_inside(system, content, i))
      return inside;
  }
  return std::nullopt;
}

std::variant<std::string, caf::error> written(caf::actor_system& system,
                                              const caf::message& content) {
  content_bytes bytes{node_bytes(system)};
  content_writer out{system, bytes};
  if (auto error = content.save(out))
    return make_error(errc::not_serializable, rendered(error, system));
  return bytes.take();
}

caf::error unreadable(std::string why) {
  return make_error(errc::unreadable, std::move(why));
}

std::variant<caf::message, caf::error> content_in(caf::actor_system& system,
                                                  std::string_view bytes) {
  place_without_handles where{system};
  content_reader in{where, bytes, node_bytes(system)};
  caf::message result;
  auto error = result.load(in);
  if (in.has_met_own_node())
    return unreadable(no_handles);
  if (error)
    return unreadable(rendered(error, system));
  if (!in.has_ended_all())
    return unreadable("a message inside the content is damaged");
  if (where.has_met_handle())
    return unreadable(no_handles);
  if (in.left() > 0)
    return unreadable("more bytes follow the content");
  return result;
}

} // namespace

/// Each thread remembers them: to write them takes longer than most contents
/// do.
const std::string& node_bytes(caf::actor_system& system) {
  thread_local caf::node_id node;
  thread_local std::string result;
  if (node == system.node())
    return result;
  node = system.node();
  result.clear();
  if (!node)
    return result;
  std::vector<char> bytes;
  caf::binary_serializer out{system, bytes};
  if (!out(node))
    result.assign(bytes.begin(), bytes.end());
  return result;
}

std::variant<std::string, caf::error> pack(caf::actor_system& system,
                                           const caf::message& content) {
  if (auto words = unknown_type(system, content))
    return make_error(errc::not_serializable, *words);
  try {
    return written(system, content);
  } catch (const handle_in_content&) {
    return make_error(errc::not_serializable, no_handles);
  } catch (const std::exception& thrown) {
    return make_error(errc::not_serializable, thrown.what());
  }
}

std::variant<caf::message, caf::error> unpack(caf::actor_system& system,
                                              std::string_view bytes) {
  try {
    return content_in(system, bytes);
  } catch (const std::exception& thrown) {
    return unreadable(thrown.what());
  }
}

} // namespace libpool

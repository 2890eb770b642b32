#include "libpool/actors/caf/packing.hpp"

#include "libpool/actors/caf/port/content_reader.hpp"
#include "libpool/actors/caf/port/content_writer.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/message_type.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/core/errc.hpp"

#include <caf/detail/meta_object.hpp>

#include <cstddef>
#include <exception>
#include <utility>

namespace libpool {

namespace {

constexpr const char* no_handles =
  "handles of actors cannot be sent to other nodes";

/// The first element that cannot be written, in words.
std::string unwritable_in(caf::actor_system& system,
                          const caf::message& content) {
  for (std::size_t i = 0; i < content.size(); ++i) {
    content_writer out{system};
    auto type = content.type_at(i);
    const auto& how = caf::detail::global_meta_object(type);
    if (!how.save(out, content.cdata().at(i)))
      return "the type " + detail::name_of(type) + ": "
             + rendered(out.get_error());
  }
  return "the content cannot be written";
}

std::variant<std::string, caf::error> written(caf::actor_system& system,
                                              const caf::message& content) {
  content_writer out{system};
  if (content.save(out))
    return out.bytes();
  return make_error(errc::not_serializable, out.has_met_handle()
                                              ? no_handles
                                              : unwritable_in(system, content));
}

caf::error unreadable(std::string why) {
  return make_error(errc::unreadable, std::move(why));
}

std::variant<caf::message, caf::error> content_in(caf::actor_system& system,
                                                  std::string_view bytes) {
  null_handles handles{system};
  content_reader in{system, bytes};
  caf::message result;
  if (!result.load(in))
    return unreadable(in.has_met_handle() ? no_handles
                                          : rendered(in.get_error()));
  if (in.left() > 0)
    return unreadable("more bytes follow the content");
  return result;
}

} // namespace

std::variant<std::string, caf::error> pack(caf::actor_system& system,
                                           const caf::message& content) {
  try {
    return written(system, content);
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

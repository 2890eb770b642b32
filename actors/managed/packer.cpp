#include "libpool/actors/managed/packer.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/parcel.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace libpool {

namespace {

errc refused(managed_task& task, errc why, std::string words) {
  task.has_extras = true;
  task.crash = std::move(words);
  return why;
}

} // namespace

errc packer::pack(managed_task& task) {
  caf::message content;
  try { // to copy a message that is shared is to call its user
    content = copy_content(*task.element);
  } catch (...) {
    return refused(task, errc::policy_failed, thrown_text());
  }
  auto packed = libpool::pack(system_, content);
  if (auto* why = std::get_if<caf::error>(&packed))
    return refused(task, errc::not_serializable, render(*why, system_));
  auto& bytes = std::get<std::string>(packed);
  if (bytes_ > 0 && bytes.size() > most_bytes_ - std::min(bytes_, most_bytes_))
    return errc::queue_full;
  task.packed = bytes.size();
  bytes_ += task.packed;
  parcel made{std::make_shared<const std::string>(std::move(bytes))};
  task.element = make_element(take_return_path(*task.element),
                              caf::make_message(std::move(made)));
  return errc{};
}

void unpack(managed_task& task, caf::actor_system& system) {
  auto content = unpacked(system, take_content(*task.element));
  task.element = make_element(take_return_path(*task.element),
                              std::move(content));
}

caf::message unpacked(caf::actor_system& system, caf::message content) {
  if (!content.match_elements<parcel>())
    return content;
  auto read = libpool::unpack(system, *content.get_as<parcel>(0).bytes);
  auto* result = std::get_if<caf::message>(&read);
  return result != nullptr ? std::move(*result) : std::move(content);
}

} // namespace libpool

#include "libpool/actors/managed/packer.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/parcel.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_system.hpp>

#include <utility>
#include <variant>

namespace libpool {

namespace {

/// Bytes that are given back to the budget when they are no more.
struct budgeted {
  budgeted(std::shared_ptr<byte_budget> budget, std::string content)
    : of(std::move(budget)), bytes(std::move(content)) {
    // nop
  }
  budgeted(const budgeted&) = delete;
  budgeted& operator=(const budgeted&) = delete;
  ~budgeted() {
    of->give_back(bytes.size());
  }

  const std::shared_ptr<byte_budget> of;
  const std::string bytes;
};

parcel unmade(errc why, std::string words, caf::message content) {
  return {nullptr, std::move(content), why, std::move(words), 0};
}

bool is_packed(caf::mailbox_element& element) {
  return content_of(element).match_elements<parcel>();
}

const parcel& parcel_in(caf::mailbox_element& element) {
  return content_of(element).get_as<parcel>(0);
}

void put(caf::mailbox_element_ptr& element, parcel made) {
  element = make_element(take_return_path(*element),
                         caf::make_message(std::move(made)));
}

} // namespace

bool byte_budget::take(std::uint64_t bytes) noexcept {
  auto taken = taken_.load();
  do {
    if (taken > 0 && (taken > most_ || bytes > most_ - taken))
      return false;
  } while (!taken_.compare_exchange_weak(taken, taken + bytes));
  return true;
}

// -- packing ------------------------------------------------------------------

std::shared_ptr<const std::string>
packer::within_budget(std::string bytes) const {
  if (!budget_->take(bytes.size()))
    return nullptr;
  auto owner = std::make_shared<const budgeted>(budget_, std::move(bytes));
  return {owner, &owner->bytes};
}

void packer::pack(caf::mailbox_element_ptr& element) const {
  if (is_packed(*element))
    return;
  caf::message content;
  try { // to take a message that is shared may copy it, by its user's code
    content = take_content(*element);
  } catch (...) {
    return put(element, unmade(errc::policy_failed, thrown_text(), {}));
  }
  auto packed = libpool::pack(system_, content);
  if (auto* why = std::get_if<caf::error>(&packed))
    return put(element, unmade(errc::not_serializable, render(*why, system_),
                               std::move(content)));
  auto bytes = within_budget(std::get<std::string>(std::move(packed)));
  auto is_kept = bytes != nullptr
                   ? shows_contents_
                   : keeps_refused_ && !element->mid.is_request();
  auto problem = bytes != nullptr ? errc{} : errc::queue_full;
  if (!is_kept)
    content = caf::message{};
  put(element, {std::move(bytes), std::move(content), problem, {}, 0});
}

errc packer::open(managed_task& task) const {
  pack(task.element);
  const auto& made = parcel_in(*task.element);
  if (made.problem == errc{}) {
    task.own_extras().is_packed = true;
    return errc{};
  }
  task.own_extras().crash = made.words;
  return made.problem;
}

void packer::hide(managed_task& task) const {
  if (!shows_contents_)
    return;
  auto made = parcel_in(*task.element);
  made.content = caf::message{};
  put(task.element, std::move(made));
}

// -- unpacking ----------------------------------------------------------------

const message_content& shown_content(caf::mailbox_element& element) {
  return is_packed(element) ? elements_of(parcel_in(element).content)
                            : content_of(element);
}

void pack_for(managed_task& task, bool is_node, caf::actor_system& system) {
  auto& packed = task.own_extras().packed;
  auto& element = *task.element;
  if (is_node) {
    if (!packed.empty())
      task.element = make_element(take_return_path(element),
                                  std::exchange(packed, caf::message{}));
  } else if (is_packed(element)) {
    auto content = take_content(element);
    if (task.repeatable)
      packed = content;
    task.element = make_element(take_return_path(element),
                                unpacked(system, std::move(content)));
  }
}

caf::message unpacked(caf::actor_system& system, caf::message content) {
  if (!content.match_elements<parcel>())
    return content;
  const auto& made = content.get_as<parcel>(0);
  if (made.bytes == nullptr || !made.content.empty())
    return made.content;
  auto read = libpool::unpack(system, *made.bytes);
  auto* result = std::get_if<caf::message>(&read);
  return result != nullptr ? std::move(*result) : std::move(content);
}

} // namespace libpool

#include "libpool/actors/caf/port/elements.hpp"

#include "libpool/actors/caf/port/tracked_element.hpp"

namespace libpool {

namespace {

/// The time at which work has come. Pools do not look at it, and no actor gets
/// anything then.
constexpr auto time_of_work = std::chrono::steady_clock::time_point::min();

} // namespace

caf::mailbox_element_ptr make_work(caf::strong_actor_ptr sender,
                                   caf::message_id id, caf::message content) {
  auto result = caf::make_mailbox_element(std::move(sender), id,
                                          std::move(content));
  result->enqueue_time = time_of_work;
  return result;
}

bool is_work(const caf::mailbox_element& element) noexcept {
  return element.enqueue_time == time_of_work;
}

bool is_system_message(const caf::mailbox_element& element) {
  auto types = element.payload.types();
  if (types.empty())
    return false;
  switch (types[0]) {
    case caf::type_id_v<caf::sys_atom>:
      return true;
    case caf::type_id_v<caf::exit_msg>:
    case caf::type_id_v<caf::down_msg>:
    case caf::type_id_v<caf::node_down_msg>:
    case caf::type_id_v<caf::timeout_msg>:
    case caf::type_id_v<caf::error>:
    case caf::type_id_v<caf::action>:
    case caf::type_id_v<caf::stream_open_msg>:
    case caf::type_id_v<caf::stream_demand_msg>:
    case caf::type_id_v<caf::stream_cancel_msg>:
    case caf::type_id_v<caf::stream_ack_msg>:
    case caf::type_id_v<caf::stream_batch_msg>:
    case caf::type_id_v<caf::stream_close_msg>:
    case caf::type_id_v<caf::stream_abort_msg>:
      return types.size() == 1;
    default:
      return false;
  }
}

copies::copies(caf::mailbox_element& original)
  : original_(original), content_(take_content(original)) {
  // nop
}

caf::message take_content(caf::mailbox_element& element) {
  auto* tracked = tracked_element::from(element);
  if (tracked == nullptr)
    return std::move(element.payload);
  return tracked->open() ? std::move(tracked->content()) : caf::message{};
}

void put_back(caf::mailbox_element_ptr& element, caf::message content) {
  content_of(*element) = std::move(content);
}

message_content& content_of(caf::mailbox_element& element) {
  auto* tracked = tracked_element::from(element);
  return tracked == nullptr ? element.payload : tracked->content();
}

/// FNV-1a.
std::uint64_t number_of_types(const message_content& content) noexcept {
  constexpr std::uint64_t basis = 0xcbf29ce484222325;
  constexpr std::uint64_t prime = 0x100000001b3;
  auto types = content.types();
  auto result = basis;
  for (std::size_t i = 0; i < types.size(); ++i)
    result = (result ^ types[i]) * prime;
  return result;
}

} // namespace libpool

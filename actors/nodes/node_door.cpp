#include "libpool/actors/nodes/node_door.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/message_functions.hpp"
#include "libpool/actors/nodes/node_keeper.hpp"

#include <caf/actor_config.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>

namespace libpool {

node_door::node_door(caf::actor_config& cfg, caf::actor_addr keeper,
                     worker_number session, const introduction& who)
  : delivering(cfg),
    keeper_(std::move(keeper)),
    session_(session),
    name_(who.name),
    labels_(who.labels) {
  // nop
}

duration node_door::time_from_there(std::uint64_t bytes) const noexcept {
  constexpr auto most_seconds = 3600.0;
  auto rate = bytes_per_second_.load();
  auto way = duration{round_trip_.load()} / 2;
  auto most = rate * most_seconds; // more is as good as never
  return rate > 0 ? transfer_time(std::min(static_cast<double>(bytes), most),
                                  rate, way)
                  : way;
}

void node_door::measured(double bytes_per_second,
                         duration round_trip) noexcept {
  bytes_per_second_ = bytes_per_second;
  round_trip_ = round_trip.count();
}

void node_door::unwanted(const element_record& element,
                         execution_context* host) {
  auto number = element.number_inside();
  if (auto keeper = reach(keeper_); keeper != nullptr && number != 0)
    static_cast<node_keeper*>(keeper->get())
      ->forget(session_, task_number{number}, host);
}

void node_door::resize(std::size_t seats, execution_context* host) {
  seats_ = seats;
  is_known_ = true;
  outer().tell({room(), {}, false}, host);
}

void node_door::close(const caf::error& reason, execution_context* host) {
  is_known_ = true;
  seats_ = 0;
  cleanup(caf::error{reason}, host);
}

/// The element, if the keeper has ended, tells its pool that it comes back.
void node_door::deliver(caf::mailbox_element_ptr&& element,
                        execution_context* host) {
  auto keeper = reach(keeper_);
  if (keeper == nullptr)
    return;
  auto& owner = *static_cast<node_keeper*>(keeper->get());
  if (tracked_element::from(*element) != nullptr)
    owner.submit(session_, std::move(element), host);
  else if (element->content().match_elements<caf::exit_msg>())
    owner.expel(session_, host);
}

} // namespace libpool

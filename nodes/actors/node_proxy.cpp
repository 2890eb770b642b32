#include "libpool/nodes/actors/node_proxy.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/message_functions.hpp"

#include <caf/actor_config.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>

namespace libpool {

node_proxy::node_proxy(caf::actor_config& cfg, proxy_calls calls,
                       const introduction& who, bool exchanges_facts)
  : delivering(cfg),
    calls_(std::move(calls)),
    name_(who.name),
    labels_(who.labels),
    exchanges_facts_(exchanges_facts) {
  // nop
}

duration node_proxy::time_from_there(std::uint64_t bytes) const noexcept {
  constexpr auto most_seconds = 3600.0;
  auto rate = bytes_per_second_.load();
  auto way = duration{round_trip_.load()} / 2;
  auto most = rate * most_seconds; // times beyond an hour count as an hour
  return rate > 0 ? transfer_time(std::min(static_cast<double>(bytes), most),
                                  rate, way)
                  : way;
}

void node_proxy::measured(double bytes_per_second,
                          duration round_trip) noexcept {
  bytes_per_second_ = bytes_per_second;
  round_trip_ = round_trip.count();
}

void node_proxy::cancel_messages(const inner_messages& messages, bool,
                                 execution_context* host) {
  auto cancel = [session = calls_.session, tasks = messages.numbers](
                  node_connections& nodes, instant now) {
    for (auto each : tasks)
      nodes.cancel(task_number{each}, session, now);
  };
  calls_.note(cancel, host);
}

void node_proxy::take_back_messages(const inner_messages& messages,
                                    execution_context* host) {
  auto recall = [session = calls_.session, tasks = messages.numbers](
                  node_connections& nodes, instant now) {
    for (auto each : tasks)
      nodes.recalled(task_number{each}, session, now);
  };
  calls_.note(recall, host);
}

bool node_proxy::tells_begin(const element_record& element,
                             execution_context* host) {
  auto number = element.number_inside();
  if (!exchanges_facts_ || number == 0)
    return false;
  calls_.note(
    [session = calls_.session, number](node_connections& nodes, instant now) {
      nodes.asked_begun(task_number{number}, session, now);
    },
    host);
  return true;
}

void node_proxy::paused(bool is, execution_context* host) {
  calls_.note(
    [session = calls_.session, is](node_connections& nodes, instant) {
      nodes.paused(session, is);
    },
    host);
}

void node_proxy::resize(std::size_t seats, execution_context* host) {
  seats_ = seats;
  outer().tell({room(), {}, false}, host);
}

void node_proxy::close(const caf::error& reason, execution_context* host) {
  seats_ = 0;
  cleanup(caf::error{reason}, host);
}

/// Passes a message of the pool on to the registry. If the registry has ended,
/// the element is destroyed, and reports to its pool that the task comes back.
void node_proxy::deliver(caf::mailbox_element_ptr&& element,
                         execution_context* host) {
  if (tracked_element::from(*element) != nullptr)
    calls_.submit(std::move(element), host);
  else if (element->content().match_elements<caf::exit_msg>())
    calls_.note(
      [session = calls_.session](node_connections& nodes, instant) {
        nodes.expelled(session);
      },
      host);
}

} // namespace libpool

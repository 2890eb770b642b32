#include "orders.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace pooltop {

namespace {

/// Returns the text as a part of a URL.
std::string encoded(const std::string& text) {
  constexpr auto digits = "0123456789ABCDEF";
  std::string result;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (std::isalnum(byte) != 0 || each == '-' || each == '_' || each == '.')
      result += each;
    else
      result.append({'%', digits[byte >> 4U], digits[byte & 15U]});
  }
  return result;
}

const row* asked_flow(const pool& of, const controls& by) {
  return of.flows.empty()
           ? nullptr
           : &of.flows[std::min(by.asked_flow, of.flows.size() - 1)];
}

std::string words_for_flow(const row& of) {
  return of.name.empty() ? "the flow without a name" : "flow " + of.name;
}

/// Returns the request for the command; empty if there is none.
std::string request_for(command what, const pool& of, const controls& by) {
  const auto workers = static_cast<std::size_t>(of["workers"].value_or(0));
  switch (what) {
    case command::pause_pool:
      return of["is_paused"].value_or(0) != 0 ? "resume" : "pause";
    case command::drain_pool:
      return "drain";
    case command::add_worker:
      return "resize?n=" + std::to_string(workers + 1);
    case command::remove_worker:
      return workers > 1 ? "resize?n=" + std::to_string(workers - 1) : "";
    case command::cancel_all:
      return "cancel?all=true";
    case command::cancel_flow: {
      const auto* flow = asked_flow(of, by);
      return flow == nullptr ? "" : "cancel?flow=" + encoded(flow->key);
    }
    default:
      return {};
  }
}

bool needs_consent(command what) {
  return what == command::drain_pool || what == command::cancel_flow
         || what == command::cancel_all;
}

void send(command what, const pool& to_pool, controls& to) {
  const auto request = request_for(what, to_pool, to);
  if (!request.empty())
    to.order = "/api/v1/pools/" + encoded(to_pool.key) + '/' + request;
}

} // namespace

void order(command what, const snapshot& from, controls& to) {
  const auto* chosen = chosen_pool(from, to.pool);
  if (!from.may_control || chosen == nullptr
      || request_for(what, *chosen, to).empty())
    return;
  to.outcome.clear();
  if (!needs_consent(what))
    return send(what, *chosen, to);
  to.pool = chosen->name; // a question stays about one pool
  to.asked = what;
  to.asked_flow = 0;
}

void answer_question(command what, const snapshot& from, controls& to) {
  const auto* chosen = chosen_pool(from, to.pool);
  const auto is_there = chosen != nullptr && chosen->name == to.pool;
  const auto flows = is_there ? chosen->flows.size() : 0;
  if (what == command::line_down && flows > 0) {
    to.asked_flow = std::min(to.asked_flow + 1, flows - 1);
    return;
  }
  if (what == command::line_up) {
    to.asked_flow -= std::min<std::size_t>(to.asked_flow, 1);
    return;
  }
  if (what == command::yes && is_there)
    send(to.asked, *chosen, to);
  to.asked = command::none;
}

std::string question(const snapshot& from, const controls& of) {
  const auto* chosen = chosen_pool(from, of.pool);
  if (chosen == nullptr)
    return {};
  const auto open = " (waiting " + count_text(waiting_in(*chosen))
                    + ", running " + count_text((*chosen)["running"]) + ")";
  switch (of.asked) {
    case command::drain_pool:
      return "Drain and end pool " + chosen->name + open + "? y yes, n no";
    case command::cancel_all:
      return "Cancel all messages of " + chosen->name + open + "? y yes, n no";
    case command::cancel_flow: {
      const auto* flow = asked_flow(*chosen, of);
      return flow == nullptr
               ? ""
               : "Cancel " + words_for_flow(*flow) + " of " + chosen->name
                   + "? y yes, n no, up/down other flow";
    }
    default:
      return {};
  }
}

} // namespace pooltop

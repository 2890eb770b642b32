/// How a pipeline carries out the decisions of its line of stages.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/pipeline/pipeline_actor.hpp"

#include <caf/actor_system.hpp>
#include <caf/sec.hpp>

#include <utility>

namespace libpool {

void pipeline_actor::carry_out(host_ptr host) {
  while (!line_.decisions().empty()) {
    batch_.clear();
    batch_.swap(line_.decisions());
    for (auto& each : batch_)
      carry_out(each, host);
  }
}

/// Tells pools that have found no room once there is some, or never will be.
void pipeline_actor::report_room(host_ptr host) {
  if (!owes_report_ || (line_.is_full() && !line_.is_closed()))
    return;
  owes_report_ = false;
  outer().tell({room(), {}, false}, host);
}

void pipeline_actor::carry_out(const line_decision& decision, host_ptr host) {
  auto* item = static_cast<pipeline_item*>(decision.item);
  switch (decision.is) {
    case line_decision::kind::accept:
      return accepted(*item, host);
    case line_decision::kind::ask:
      return ask(*item, decision.stage, host);
    case line_decision::kind::settle:
      return settle(*item, decision, host);
    case line_decision::kind::pull:
      return pull(decision.many, host);
    case line_decision::kind::stage_over:
      return stage_over(decision.stage, host);
  }
}

void pipeline_actor::accepted(pipeline_item& item, host_ptr host) {
  if (options_.answer != answer_when::accepted || !item.is_awaited
      || item.is_cancelled)
    return;
  item.is_awaited = false;
  answer(take_return_path(*item.client), me(), {}, host);
}

void pipeline_actor::ask(pipeline_item& item, std::size_t stage,
                         host_ptr host) {
  if (item.is != line_item::condition::asked || item.stage != stage)
    return; // has failed since
  if (item.is_cancelled || client_is_gone(item))
    return line_.cancelled(item);
  if (!request(item, members_[stage], std::move(item.content), host))
    line_.failed(item);
}

bool pipeline_actor::client_is_gone(const pipeline_item& item) {
  return item.is_awaited && item.client->mid.is_request()
         && item.client->sender != nullptr
         && is_dead(*item.client->sender->get());
}

/// Returns false if that throws.
bool pipeline_actor::request(pipeline_item& item, const member& stage,
                             caf::message content, host_ptr host) {
  item.request = next_number(item);
  auto id = caf::make_message_id(item.request);
  if (item.is_urgent)
    id = id.with_high_priority();
  try {
    actor_behind(stage.handle)
      .enqueue(make_work(me(), id, std::move(content)), host);
    return true;
  } catch (...) {
    item.request = 0;
    item.problem = thrown_text();
    return false;
  }
}

void pipeline_actor::pull(std::size_t many, host_ptr host) {
  for (; many > 0 && !line_.is_closed(); --many) {
    auto& item = new_item();
    item.is_pulled = true;
    if (request(item, members_.back(),
                caf::make_message(caf::sys_atom{}, pull_atom{}), host))
      continue;
    source_failed(item.problem);
    recycle(item);
    break;
  }
  line_.withheld(many);
}

void pipeline_actor::settle(pipeline_item& item, const line_decision& decision,
                            host_ptr host) {
  if (decision.how == outcome::refused)
    refuse(item, decision.why, host);
  else if (decision.how == outcome::failed)
    failed(item, decision.stage, host);
  else if (decision.how == outcome::completed && item.is_awaited)
    answer(take_return_path(*item.client), me(), std::move(item.content), host);
  else if (decision.how == outcome::cancelled)
    tell_cancelled(item, host);
  recycle(item);
}

void pipeline_actor::failed(pipeline_item& item, std::size_t stage,
                            host_ptr host) {
  auto why = stage_error(stage,
                         item.problem.empty() ? losses_[stage] : item.problem);
  if (item.is_awaited && item.client->mid.is_request())
    return answer(take_return_path(*item.client), me(),
                  caf::make_message(std::move(why)), host);
  if (options_.on_failed == nullptr)
    return;
  try {
    options_.on_failed({item.number, members_[stage].name, std::move(why)});
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

/// For example: stage 'count' (2 of 3): the words of its error.
caf::error pipeline_actor::stage_error(std::size_t stage,
                                       const std::string& problem) const {
  return make_error(errc::stage_failed, "stage '" + members_[stage].name + "' ("
                                          + std::to_string(stage + 1) + " of "
                                          + std::to_string(line_.size())
                                          + "): " + problem);
}

namespace {

/// The code of an error that means that the item was not taken.
errc refusal_code_of(const caf::error& why) noexcept {
  return is_own(why) ? code_of(why) : errc::policy_failed;
}

} // namespace

void pipeline_actor::refuse(pipeline_item& item, errc why, host_ptr host) {
  caf::error reason = why;
  if (why == errc::pool_closed && failure_)
    reason = failure_;
  if (exit_)
    reason = caf::sec::request_receiver_down;
  refuse(*item.client, std::move(item.content), std::move(reason), host);
}

void pipeline_actor::refuse(caf::mailbox_element& element, caf::message content,
                            caf::error why, host_ptr host) {
  if (auto* outer = tracked_element::from(element))
    outer->settled({outcome::refused, refusal_code_of(why), why});
  if (element.mid.is_request())
    return answer(take_return_path(element), me(),
                  caf::make_message(std::move(why)), host);
  if (options_.on_refused == nullptr)
    return;
  try {
    refusal told{std::move(element.sender), element.mid, std::move(content),
                 std::move(why)};
    options_.on_refused(told);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

} // namespace libpool

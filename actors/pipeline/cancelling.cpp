/// How users cancel items of a pipeline.

#include "libpool/actors/caf/announced_messages.hpp"
#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/gate/submission.hpp"
#include "libpool/actors/pipeline/pipeline_actor.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using condition = line_item::condition;

/// Whether the item is in the pipeline, and has not passed its last stage.
bool is_open(const pipeline_item& item, std::size_t stages) {
  auto has_passed = item.is == condition::ready && item.stage + 1 == stages;
  return item.is != condition::fresh && !has_passed;
}

/// Returns the actor that has sent the item; nullptr: none is known.
caf::strong_actor_ptr sender_of(const pipeline_item& item) {
  return item.client != nullptr && item.client->sender != nullptr
           ? client_behind(item.client->sender)
           : nullptr;
}

bool is_meant(const selection& selection, const pipeline_item& item) {
  return (selection.id.empty() || item.id == selection.id)
         && (selection.client == nullptr
             || sender_of(item) == selection.client);
}

} // namespace

/// Notes the id of the item, whose content has just come. An item for which the
/// function of the user throws has none.
void pipeline_actor::note_id(pipeline_item& item) const {
  if (options_.id_of == nullptr)
    return;
  try {
    item.id = options_.id_of(elements_of(item.content)).name();
  } catch (...) {
    item.id.clear();
  }
}

cancel_counts pipeline_actor::cancel(const selection& selection) {
  throw_if(objection_to(selection));
  return serial_actor::ask(
    [this, selection] { return cancel_here(selection, nullptr); });
}

/// Returns why the pipeline cannot know which items are meant.
caf::error pipeline_actor::objection_to(const selection& selection) const {
  if (selection.flow)
    return invalid_argument("cancel: items of pipelines have no flows");
  if (!selection.id.empty() && options_.id_of == nullptr)
    return invalid_argument("cancel: the pipeline does not know the ids of its "
                            "items: set pipeline_options::id_of");
  return {};
}

/// Returns the first stage that has the same pool.
std::size_t pipeline_actor::first_of_pool(std::size_t stage) const {
  auto has_it = [&](const member& each) {
    return each.handle == members_[stage].handle;
  };
  auto first = std::find_if(members_.begin(), members_.end(), has_it);
  return static_cast<std::size_t>(first - members_.begin());
}

cancel_counts pipeline_actor::cancel_here(const selection& selection,
                                          host_ptr host) {
  if (selection.is_empty())
    return {};
  return cancel_where(
    [&](const pipeline_item& item) { return is_meant(selection, item); }, host);
}

/// A cancelled item that waits to enter the pipeline is settled at once;
/// another one leaves the pipeline when it comes to its next stage, or when its
/// stage has answered. A pool is told of all of its items together, so that it
/// begins none of them when another one has freed a worker.
template <class F>
cancel_counts pipeline_actor::cancel_where(F is_meant, host_ptr host) {
  cancel_counts result;
  std::vector<client_requests> cancelled(line_.size(), {me(), {}});
  for (auto& each : items_) {
    auto& item = *each;
    if (ended_ || !is_open(item, line_.size()) || item.is_cancelled
        || !is_meant(item))
      continue;
    item.is_cancelled = true;
    auto is_at_stage = item.request != 0;
    ++(is_at_stage ? result.running : result.waiting);
    if (is_at_stage)
      cancelled[first_of_pool(item.stage)].numbers.push_back(item.request);
    else if (item.is == condition::waiting)
      line_.cancelled(item);
  }
  for (std::size_t i = 0; i < cancelled.size(); ++i) {
    auto& numbers = cancelled[i].numbers;
    std::sort(numbers.begin(), numbers.end());
    auto* pool = numbers.empty() ? nullptr
                                 : pool_behind<inner_pool>(members_[i].handle);
    if (pool != nullptr)
      pool->cancel_requests(cancelled[i], host);
  }
  return result;
}

void pipeline_actor::cancel_requests(const client_requests& requests,
                                     host_ptr host) {
  auto cancel = [this, requests](host_ptr here) {
    cancel_where(
      [&](const pipeline_item& item) {
        return sender_of(item) == requests.client
               && requests.contain(item.client->mid);
      },
      here);
  };
  tell(cancel, host);
}

void pipeline_actor::cancel_messages(const inner_messages& messages, bool,
                                     host_ptr host) {
  if (messages.announced.empty())
    return;
  auto cancel_all = [this,
                     cancelled = announced_messages{messages}](host_ptr here) {
    cancel_where(
      [&](const pipeline_item& item) {
        return item.client != nullptr && cancelled.contain(*item.client);
      },
      here);
  };
  tell(cancel_all, host);
}

/// The client of a cancelled item, and an outer pool, are told why.
void pipeline_actor::tell_cancelled(pipeline_item& item, host_ptr host) {
  caf::error why = item.is_cancelled
                     ? caf::error{errc::cancelled}
                     : caf::error{caf::sec::request_receiver_down};
  if (item.client == nullptr)
    return;
  auto* outer = tracked_element::from(*item.client);
  if (outer != nullptr && item.is_cancelled)
    outer->settled({outcome::cancelled, errc::cancelled, why});
  if (item.is_awaited && item.client->mid.is_request())
    answer(take_return_path(*item.client), me(),
           caf::make_message(std::move(why)), host);
}

} // namespace libpool

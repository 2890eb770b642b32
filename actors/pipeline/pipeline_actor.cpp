/// How a pipeline makes facts of messages.

#include "libpool/actors/pipeline/pipeline_actor.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/kept_element.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/tracked_element.hpp"
#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/sync/thread_number.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace libpool {

namespace {

using caf::sys_atom;

/// A request's number is that of its item's slot and a count.
constexpr unsigned slot_bits = 24;
constexpr std::uint64_t slot_mask = (std::uint64_t{1} << slot_bits) - 1;
constexpr std::uint64_t count_mask = (std::uint64_t{1} << 36) - 1;

stage_line::options line_of(const std::vector<pipeline_actor::member>& members,
                            bool has_source, const pipeline_options& options) {
  stage_line::options result;
  for (auto& each : members)
    result.credits.push_back(each.credit);
  if (has_source)
    result.credits.pop_back();
  result.ordered = options.ordered;
  result.pulls = has_source;
  if (options.answer == answer_when::accepted)
    result.max_waiting = options.max_waiting;
  return result;
}

} // namespace

pipeline_actor::pipeline_actor(caf::actor_config& cfg,
                               std::vector<member> members, bool has_source,
                               pipeline_options options)
  : delivering(cfg),
    options_(std::move(options)),
    members_(std::move(members)),
    line_(line_of(members_, has_source, options_)),
    losses_(line_.size()) {
  register_at_system();
}

// -- facts --------------------------------------------------------------------

void pipeline_actor::received(caf::mailbox_element_ptr element, host_ptr host) {
  handling_.store(thread_number(), std::memory_order_relaxed);
  if (auto* outer = tracked_element::from(*element)) {
    received_from(*outer, std::move(element), host);
  } else if (element->mid.is_response()) {
    answered(*element);
  } else if (is_work(*element) || !manage(*element, host)) {
    submitted(std::move(element), host);
  }
}

/// Handles a message of an outer pool. If the pipeline has no room, the message
/// is not opened: the outer pool keeps it until the pipeline reports room.
void pipeline_actor::received_from(tracked_element& outer,
                                   caf::mailbox_element_ptr element,
                                   host_ptr host) {
  auto is_closed = ended_ || (line_.is_closed() && !has_source());
  auto has_no_room = !is_closed && !has_source() && line_.is_full();
  owes_report_ = owes_report_ || has_no_room;
  if (is_closed)
    outer.give_back(errc::pool_closed);
  else if (has_no_room)
    outer.give_back(errc::queue_full);
  else if (outer.open())
    submitted(std::move(element), host);
}

void pipeline_actor::handled_all(host_ptr host) {
  handling_.store(thread_number(), std::memory_order_relaxed);
  carry_out(host);
  report_room(host);
  end_if_over(host);
  handling_.store(no_thread, std::memory_order_relaxed);
}

void pipeline_actor::submitted(caf::mailbox_element_ptr element,
                               host_ptr host) {
  auto why = objection(*element);
  auto& item = new_item();
  // In a mailbox, an urgent item would overtake others.
  item.is_urgent = element->mid.is_urgent_message() && !options_.ordered;
  item.is_awaited = wants_answer(*element);
  if (!take_content(item, *element) && !why)
    why = make_error(errc::stage_failed, item.problem);
  item.client = std::move(element);
  if (!why)
    return line_.offered(item);
  ++objections_;
  refuse(*item.client, std::move(item.content), std::move(why), host);
  recycle(item);
}

/// Why it cannot even be offered.
caf::error pipeline_actor::objection(caf::mailbox_element& element) const {
  if (ended_ && failure_ && !exit_)
    return failure_;
  if (ended_)
    return caf::sec::request_receiver_down; // as of any actor that has ended
  if (belongs_to_stream(element))
    return errc::no_streams;
  if (has_source())
    return make_error(errc::pool_closed,
                      "the pipeline accepts items only from its source");
  if (content_of(element).match_elements<caf::error>())
    return caf::sec::unexpected_message; // actors die of stray errors
  return {};
}

/// Returns false if copying the content throws.
bool pipeline_actor::take_content(pipeline_item& item,
                                  caf::mailbox_element& element) {
  try {
    item.content = libpool::take_content(element);
    if (item.number == 0) // a new item
      note_id(item);
    return true;
  } catch (...) {
    item.problem = thrown_text();
    return false;
  }
}

namespace {

/// Whether actors take the content for more than data.
bool is_of_caf(const message_content& content) noexcept {
  return content.match_elements<caf::exit_msg>()
         || content.match_elements<caf::down_msg>();
}

} // namespace

/// An answer that no item waits for changes nothing.
void pipeline_actor::answered(caf::mailbox_element& element) {
  auto number = element.mid.request_id().integer_value();
  auto slot = number & slot_mask;
  if (ended_ || slot >= items_.size() || items_[slot]->request != number)
    return;
  auto& item = *items_[slot];
  item.request = 0;
  if (item.is_pulled)
    source_answered(item, element);
  else if (item.is_cancelled)
    line_.cancelled(item);
  else
    stage_answered(item, element);
}

void pipeline_actor::stage_answered(pipeline_item& item,
                                    caf::mailbox_element& element) {
  auto& content = element.content();
  if (content.match_elements<caf::error>())
    return fail(item, words_of(content.get_as<caf::error>(0), home_system()));
  if (is_of_caf(content))
    return fail(
      item, "the answer is a system message of CAF, which cannot be an item");
  if (content.empty() && item.stage + 1 < line_.size())
    return fail(item, "the answer is empty");
  if (!take_content(item, element))
    return line_.failed(item);
  line_.answered(item);
}

void pipeline_actor::fail(pipeline_item& item, std::string problem) {
  item.problem = std::move(problem);
  line_.failed(item);
}

void pipeline_actor::source_answered(pipeline_item& item,
                                     caf::mailbox_element& element) {
  auto& content = element.content();
  auto failed = content.match_elements<caf::error>();
  auto is_end = content.empty() || content.match_elements<end_atom>();
  if (is_of_caf(content))
    source_failed("the answer is a message of CAF itself, not an item");
  else if (failed)
    source_failed(words_of(content.get_as<caf::error>(0), home_system()));
  else if (is_end)
    line_.closed();
  else if (!take_content(item, element))
    source_failed(item.problem);
  else {
    item.is_pulled = false;
    return line_.supplied(item);
  }
  recycle(item);
  line_.withheld();
}

// -- nodes --------------------------------------------------------------------

pipeline_item& pipeline_actor::new_item() {
  if (free_.empty()) {
    items_.push_back(std::make_unique<pipeline_item>());
    items_.back()->slot = items_.size() - 1;
    free_.reserve(items_.capacity());
    return *items_.back();
  }
  auto& result = *free_.back();
  free_.pop_back();
  return result;
}

void pipeline_actor::recycle(pipeline_item& item) {
  libpool::let_go(std::move(item.client));
  item.content = caf::message{};
  item.request = 0;
  item.number = 0;
  item.is_urgent = false;
  item.is_awaited = false;
  item.is_pulled = false;
  item.is_cancelled = false;
  item.problem.clear();
  item.id.clear();
  free_.push_back(&item);
}

/// A number that no request under way has.
std::uint64_t pipeline_actor::next_number(const pipeline_item& item) noexcept {
  requests_ = (requests_ + 1) & count_mask;
  requests_ += requests_ == 0 ? 1 : 0;
  return (requests_ << slot_bits) | item.slot;
}

} // namespace libpool

#include "libpool/actors/caf/element_record.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/pool_number.hpp"

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

namespace libpool {

element_owner::element_owner() noexcept : serial_number_(next_pool_number()) {
  // nop
}

void element_record::start_over(libpool::task& task,
                                caf::mailbox_element_ptr message,
                                element_record* outer, const receiver& client,
                                bool keeps_client) {
  outer_ = outer;
  before_ = outer == nullptr ? nullptr : outer->line();
  task_ = &task;
  element_ = std::move(message);
  to_ = client;
  answers_to_ = nullptr;
  keeps_client_ = keeps_client;
  passage_ = nullptr;
  lease_ = nullptr;
  inside_.reset();
  thrown_.clear();
  use_ = use::unopened;
  how_ = ending::completed;
  passes_answers_ = stops_at_errors_ = keeps_message_ = false;
  notes_thread_ = false;
  is_empty_ = is_dropped_ = has_thrown_ = was_open_ = false;
  exceptions_ = std::numeric_limits<int>::max();
  started_at_.store(never, std::memory_order_relaxed);
  known_inside_as(0);
  stage_.store(stage::queued, std::memory_order_relaxed);
}

namespace {

thread_local element_record::noted_handler here;

} // namespace

void element_record::runs_in_thread(bool runs) const noexcept {
  if (runs)
    here = {this, &owner_, to_.actor, to_.scheduled};
  else if (here.element == this)
    here = {};
}

const element_record::noted_handler&
element_record::handler_in_thread() noexcept {
  return here;
}

void element_record::keep_client(const caf::strong_actor_ptr& client) {
  (passes_answers_ ? asker_ : client_) = client;
}

element_record::recall_result element_record::recall() noexcept {
  auto seen = stage::queued;
  if (stage_.compare_exchange_strong(seen, stage::recalled,
                                     std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
    task_ = nullptr;
    lease_ = nullptr;
    return recall_result::done;
  }
  return seen == stage::held ? recall_result::is_held
                             : recall_result::has_started;
}

caf::message_id element_record::message_id() const noexcept {
  return has_started() || element_ == nullptr ? client_id_ : element_->mid;
}

bool element_record::has_passed(const element_owner& owner) const noexcept {
  auto number = owner.serial_number();
  auto has_passed = owner_.serial_number() == number;
  for (auto* i = before_.get(); i != nullptr && !has_passed;
       i = i->before.get())
    has_passed = i->owner == number;
  return has_passed;
}

bool element_record::is_recalled() const noexcept {
  return stage_.load(std::memory_order_acquire) == stage::recalled
         || (outer_ != nullptr && outer_->is_recalled());
}

bool element_record::hold() noexcept {
  auto seen = stage::queued;
  if (!stage_.compare_exchange_strong(seen, stage::held,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
    return seen != stage::recalled;
  if (outer_ == nullptr || outer_->hold())
    return true;
  stage_.store(stage::queued, std::memory_order_release);
  return false;
}

void element_record::let_go() noexcept {
  auto seen = stage::held;
  if (stage_.load(std::memory_order_relaxed) != stage::held)
    return;
  if (outer_ != nullptr)
    outer_->let_go();
  stage_.compare_exchange_strong(seen, stage::queued,
                                 std::memory_order_acq_rel);
}

void element_record::note_thrown(const std::exception_ptr& thrown,
                                 bool was_open) noexcept {
  has_thrown_ = true;
  was_open_ = was_open;
  try {
    std::rethrow_exception(thrown);
  } catch (...) {
    thrown_ = thrown_text();
  }
}

} // namespace libpool

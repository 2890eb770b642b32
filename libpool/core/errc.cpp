#include "libpool/core/errc.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace libpool {

namespace {

struct meaning {
  errc code;
  const char* name;
  const char* words;
};

constexpr std::array<meaning, errc_count> meanings{{
  {errc{}, "unknown", "unknown error"},
  {errc::no_workers, "no_workers", "the pool has no workers"},
  {errc::policy_failed, "policy_failed",
   "the policy, or a function given to the pool, failed"},
  {errc::cycle, "cycle", "the pool contains itself, or waits for itself"},
  {errc::worker_down, "worker_down", "the worker is not running"},
  {errc::pool_closed, "pool_closed", "the pool is closed"},
  {errc::worker_failed, "worker_failed", "a worker failed"},
  {errc::worker_crashed, "worker_crashed", "a worker crashed"},
  {errc::timeout, "timeout", "a worker did not answer in time"},
  {errc::queue_full, "queue_full", "the queue is full"},
  {errc::deadline_exceeded, "deadline_exceeded", "the deadline has passed"},
  {errc::poisoned, "poisoned", "the task crashed too many workers"},
  {errc::retries_exhausted, "retries_exhausted",
   "the task crashed again after its last retry"},
  {errc::client_gone, "client_gone", "the client has ended"},
  {errc::untrackable_worker, "untrackable_worker",
   "the tasks of the worker cannot be tracked"},
  {errc::no_streams, "no_streams", "the pool does not support CAF streams"},
  {errc::flow_full, "flow_full", "the queue of the flow is full"},
  {errc::too_wide, "too_wide", "the task takes more seats than the pool has"},
  {errc::not_needed, "not_needed", "enough other workers have answered"},
  {errc::too_few_workers, "too_few_workers",
   "not enough workers for the required answers"},
  {errc::too_few_answers, "too_few_answers", "too many workers failed"},
  {errc::stage_failed, "stage_failed", "a stage of the pipeline failed"},
  {errc::source_failed, "source_failed", "the source of the pipeline failed"},
  {errc::node_lost, "node_lost",
   "the node that had the task was lost; the task may have begun"},
  {errc::not_serializable, "not_serializable",
   "the content cannot be written as bytes for another node"},
  {errc::unreadable, "unreadable",
   "the content cannot be read from the received bytes"},
  {errc::not_work, "not_work",
   "the handle accepts only work, not messages that manage a pool or an actor"},
  {errc::not_connected, "not_connected", "the pool cannot be reached"},
  {errc::front_lost, "front_lost",
   "the program that served the pool was lost; the task may have begun"},
  {errc::too_large, "too_large",
   "the content exceeds the maximum message size of the servers"},
  {errc::cancelled, "cancelled", "the task was cancelled"},
  {errc::time_limit, "time_limit", "the handler has reached the time limit"},
  {errc::hopeless, "hopeless",
   "the handler would probably end after the deadline"},
  {errc::too_many_parts, "too_many_parts",
   "the message has more parts than the pool can hold"},
  {errc::overloaded, "overloaded",
   "the pool is overloaded, and the message has waited for too long"},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < errc_count; ++i)
    if (static_cast<std::size_t>(meanings[i].code) != i)
      return false;
  return true;
}

static_assert(are_in_order()); // the table is complete and in order

const meaning& meaning_of(errc code) noexcept {
  auto i = static_cast<std::size_t>(code);
  return meanings[i < errc_count ? i : 0];
}

class category final : public std::error_category {
public:
  const char* name() const noexcept override {
    return "libpool";
  }

  std::string message(int value) const override {
    return to_string(static_cast<errc>(value));
  }
};

} // namespace

const char* to_string(errc code) noexcept {
  return meaning_of(code).words;
}

const char* name_of(errc code) noexcept {
  return meaning_of(code).name;
}

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

} // namespace libpool

#include "libpool/core/errc.hpp"

#include <string>

namespace libpool {

namespace {

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
  switch (code) {
    case errc::no_workers:
      return "the pool has no workers";
    case errc::policy_failed:
      return "the policy failed";
    case errc::cycle:
      return "the pool contains itself";
    case errc::worker_down:
      return "the worker is not running";
    case errc::pool_closed:
      return "the pool is closed";
    case errc::worker_failed:
      return "a worker failed";
    case errc::worker_crashed:
      return "a worker crashed";
    case errc::timeout:
      return "a worker did not answer in time";
    case errc::queue_full:
      return "the queue is full";
    case errc::deadline_exceeded:
      return "the deadline has passed";
    case errc::poisoned:
      return "the task has crashed too many workers";
    case errc::retries_exhausted:
      return "the task crashed again and again";
    case errc::client_gone:
      return "the client is gone";
    case errc::untrackable_worker:
      return "the worker cannot be tracked";
    case errc::no_streams:
      return "the pool takes no streams";
    case errc::flow_full:
      return "the queue of the flow is full";
    case errc::too_wide:
      return "the task takes more seats than there are";
    case errc::not_needed:
      return "enough other workers have answered";
    case errc::too_few_workers:
      return "fewer workers serve than have to answer";
    case errc::too_few_answers:
      return "more workers have failed than may fail";
    case errc::stage_failed:
      return "a stage of the pipeline failed";
    case errc::source_failed:
      return "the source of the pipeline failed";
    case errc::node_lost:
      return "the node that had the task was lost; it may have begun";
    case errc::not_serializable:
      return "the content cannot be written as bytes";
    case errc::unreadable:
      return "the content cannot be read from its bytes";
    case errc::not_work:
      return "only work goes through this handle";
    case errc::insecure:
      return "the gate would be open to everybody";
    case errc::not_connected:
      return "the other node cannot be reached";
  }
  return "unknown error";
}

const std::error_category& error_category() noexcept {
  static const category instance;
  return instance;
}

std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), error_category()};
}

} // namespace libpool

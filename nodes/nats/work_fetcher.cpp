#include "libpool/nodes/nats/work_fetcher.hpp"

#include <algorithm>
#include <chrono>

namespace libpool {

namespace {

/// Longest wait for a submission. A server that comes back does not know what
/// was asked of it before.
constexpr std::chrono::seconds longest_fetch{1};

/// Maximum number of submissions of one fetch, for which the C client allocates
/// memory in advance.
constexpr std::size_t most_at_once = 1024;

/// Pause before a look for room, if `wake` is not called.
constexpr std::chrono::milliseconds pause_without_room{100};

} // namespace

std::string work_fetcher::open(const stream_line& line,
                               const work_streams& streams) {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = streams.queue.c_str();
  options.Consumer = work_streams::fronts;
  natsSubscription* made = nullptr;
  auto status =
    js_PullSubscribe(&made, line.context(), (streams.work + ">").c_str(),
                     work_streams::fronts, nullptr, &options, nullptr);
  if (status != NATS_OK)
    return "the queue of the pool cannot be read: " + text_of(status);
  subscription_.reset(made);
  is_over_ = false;
  natsSubscription_SetPendingLimits(made, -1, -1); // `room` limits them
  thread_ =
    std::thread{[this, connection = line.connection()] { run(connection); }};
  return {};
}

void work_fetcher::close() {
  if (!thread_.joinable())
    return;
  is_over_ = true;
  signal_.wake();
  natsSubscription_Unsubscribe(subscription_.get()); // ends a wait
  thread_.join();
  subscription_.reset();
}

/// Takes what the queue has; if it has nothing, waits for one submission. A
/// wait for several would last until all of them have come. Without a
/// connection, requests would pile up, and each would be met later.
void work_fetcher::run(natsConnection* connection) {
  while (!is_over_) {
    auto room = calls_.room();
    if (room == 0
        || natsConnection_Status(connection) != NATS_CONN_STATUS_CONNECTED) {
      signal_.wait(pause_without_room);
      continue;
    }
    auto status = fetch(std::min(room, most_at_once), false);
    if (status == NATS_NOT_FOUND)
      status = fetch(1, true);
    if (status == NATS_OK || status == NATS_TIMEOUT || status == NATS_NOT_FOUND)
      continue;
    if (!is_over_)
      calls_.failed();
    return;
  }
}

natsStatus work_fetcher::fetch(std::size_t most, bool waits) {
  jsFetchRequest request;
  jsFetchRequest_Init(&request);
  request.Batch = static_cast<int>(most);
  request.NoWait = !waits;
  request.Expires = std::chrono::nanoseconds{longest_fetch}.count();
  natsMsgList list{};
  auto status = natsSubscription_FetchRequest(&list, subscription_.get(),
                                              &request);
  for (int i = 0; i < list.Count; ++i)
    calls_.fetched(message_owner{std::exchange(list.Msgs[i], nullptr)});
  natsMsgList_Destroy(&list);
  return status;
}

} // namespace libpool

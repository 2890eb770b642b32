#include "nats_queue.hpp"

#include "fate.hpp"

#include <stdexcept>
#include <utility>

namespace durable {

namespace {

using nats::check;
using nats::made;

void add_consumer(jsCtx* jetstream, duration ack_wait) {
  jsConsumerConfig how;
  jsConsumerConfig_Init(&how);
  how.Durable = broker::workers;
  how.AckPolicy = js_AckExplicit;
  how.AckWait = std::chrono::nanoseconds{ack_wait}.count();
  how.MaxAckPending = -1; // each process has a limit of its own
  check(
    js_AddConsumer(nullptr, jetstream, broker::jobs, &how, nullptr, nullptr),
    "cannot create the consumer of the jobs");
}

nats::subscription subscribe(jsCtx* jetstream) {
  jsSubOptions how;
  jsSubOptions_Init(&how);
  how.Stream = broker::jobs;
  how.Consumer = broker::workers;
  return made<nats::subscription>(
    "cannot subscribe to the jobs", [&](natsSubscription** to) {
      return js_PullSubscribe(to, jetstream, broker::job_subject,
                              broker::workers, nullptr, &how, nullptr);
    });
}

std::uint64_t attempt_of(natsMsg* message) {
  return made<nats::metadata>(
           "cannot read a job",
           [&](jsMsgMetaData** to) { return natsMsg_GetMetaData(to, message); })
    ->NumDelivered;
}

} // namespace

nats_queue::nats_queue(const std::string& url, duration ack_wait)
  : broker_(url) {
  add_consumer(broker_.jetstream(), ack_wait);
  subscription_ = subscribe(broker_.jetstream());
}

nats_queue::~nats_queue() {
  broker_.flush();
}

/// The connection comes back by itself, so that nothing to take is all there is
/// to know, whatever the reason.
std::vector<delivery> nats_queue::take(std::size_t most, duration patience) {
  natsMsgList list{};
  natsSubscription_Fetch(&list, subscription_.get(), static_cast<int>(most),
                         patience.count(), nullptr);
  std::vector<delivery> out;
  for (int i = 0; i < list.Count; ++i) {
    nats::message message{std::exchange(list.Msgs[i], nullptr)};
    out.push_back(delivery_of(std::move(message)));
  }
  natsMsgList_Destroy(&list);
  return out;
}

void nats_queue::done(const delivery& job) {
  natsMsg_Ack(let_go(job).get(), nullptr);
}

void nats_queue::again(const delivery& job, duration pause) {
  natsMsg_NakWithDelay(let_go(job).get(), pause.count(), nullptr);
}

/// First the letter, then the acknowledgement: what comes between leaves the
/// job in the queue, to be buried again.
void nats_queue::bury(const delivery& job, const std::string& why) try {
  broker_.bury({job.path, why});
  done(job);
} catch (const std::runtime_error&) {
  again(job, pause_after(job.attempt));
}

void nats_queue::still_working() {
  for (const auto& [number, message] : taken_)
    natsMsg_InProgress(message.get(), nullptr);
}

bool nats_queue::is_empty() try {
  return broker_.count_jobs() == 0;
} catch (const std::runtime_error&) {
  return false; // the server is away
}

delivery nats_queue::delivery_of(nats::message message) {
  delivery out;
  out.number = ++last_number_;
  out.attempt = attempt_of(message.get());
  out.path.assign(
    natsMsg_GetData(message.get()),
    static_cast<std::size_t>(natsMsg_GetDataLength(message.get())));
  taken_.emplace(out.number, std::move(message));
  return out;
}

nats::message nats_queue::let_go(const delivery& job) {
  auto node = taken_.extract(job.number);
  return node ? std::move(node.mapped()) : nullptr;
}

} // namespace durable

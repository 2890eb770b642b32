#include "libpool/nodes/nats/work_streams.hpp"

#include "libpool/nodes/nats/nats_line.hpp"

#include <limits>

namespace libpool {

namespace {

bool has_stream(jsCtx* with, const std::string& name) {
  jsStreamInfo* info = nullptr;
  auto status = js_GetStreamInfo(&info, with, name.c_str(), nullptr, nullptr);
  jsStreamInfo_Destroy(info);
  return status == NATS_OK;
}

/// Makes a stream unless it exists, on several servers if they are a cluster.
/// Returns why it is impossible; empty on success.
std::string make_stream(jsCtx* with, jsStreamConfig& config) {
  if (has_stream(with, config.Name))
    return {};
  std::string why;
  for (auto replicas : {replicas_in_cluster, 1}) {
    config.Replicas = replicas;
    auto status = js_AddStream(nullptr, with, &config, nullptr, nullptr);
    if (status == NATS_OK)
      return {};
    why = text_of(status);
  }
  return has_stream(with, config.Name) ? "" : why; // another program was faster
}

natsStatus make_consumer(jsCtx* with, const std::string& queue,
                         const durable_options& options) {
  jsConsumerConfig taking;
  jsConsumerConfig_Init(&taking);
  taking.Durable = work_streams::fronts;
  taking.AckPolicy = js_AckExplicit;
  taking.AckWait = options.redelivery.count();
  taking.MaxAckPending = -1; // each front has a limit of its own
  return js_AddConsumer(nullptr, with, queue.c_str(), &taking, nullptr,
                        nullptr);
}

} // namespace

work_streams::work_streams(const pool_address& where) {
  auto pool = nats_token(where.pool);
  auto subject = where.by.prefix + "." + pool + ".";
  queue = where.by.prefix + "_" + pool + "_work";
  results = where.by.prefix + "_" + pool + "_results";
  failures = where.by.prefix + "_" + pool + "_failed";
  work = subject + "work.";
  result = subject + "result.";
  failed = subject + "failed.";
}

std::string work_streams::make(jsCtx* with,
                               const durable_options& options) const {
  auto all_work = work + ">";
  const char* subject = all_work.c_str();
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  config.Name = queue.c_str();
  config.Subjects = &subject;
  config.SubjectsLen = 1;
  config.Retention = js_WorkQueuePolicy;
  config.Discard = js_DiscardNew;
  config.Duplicates = options.keep_results.count();
  if (auto why = make_stream(with, config); !why.empty())
    return "the NATS server has no queue for the pool: " + why;
  auto all_results = result + ">";
  subject = all_results.c_str();
  config.Name = results.c_str();
  config.Retention = js_LimitsPolicy;
  config.Discard = js_DiscardOld;
  // A claim is renewed as long as its submission has no result, so that it
  // stays for the time of the result.
  config.MaxAge = 2 * options.keep_results.count();
  config.MaxMsgsPerSubject = 1;
  config.AllowDirect = true;
  if (auto why = make_stream(with, config); !why.empty())
    return "the NATS server has no store for results: " + why;
  auto all_failed = failed + ">";
  subject = all_failed.c_str();
  config.Name = failures.c_str();
  config.MaxAge = options.keep_failed.count();
  if (options.keep_failed > duration{0})
    if (auto why = make_stream(with, config); !why.empty())
      return "the NATS server has no store for failed messages: " + why;
  if (auto status = make_consumer(with, queue, options); status != NATS_OK)
    return "the queue of the pool has no consumer: " + text_of(status);
  return {};
}

std::uint64_t work_streams::left_behind(jsCtx* with) const {
  jsConsumerInfo* consumer = nullptr;
  jsStreamInfo* stream = nullptr;
  auto found = js_GetConsumerInfo(&consumer, with, queue.c_str(), fronts,
                                  nullptr, nullptr);
  if (found == NATS_NOT_FOUND)
    return std::numeric_limits<std::uint64_t>::max();
  auto is_known = found == NATS_OK
                  && js_GetStreamInfo(&stream, with, queue.c_str(), nullptr,
                                      nullptr)
                       == NATS_OK;
  auto is_behind =
    is_known && stream->State.Msgs > 0
    && (stream->State.FirstSeq <= consumer->AckFloor.Stream
        || (consumer->NumPending == 0 && consumer->NumAckPending == 0));
  auto first = is_behind ? stream->State.FirstSeq : 0;
  jsStreamInfo_Destroy(stream);
  jsConsumerInfo_Destroy(consumer);
  return first;
}

void work_streams::make_consumer_again(jsCtx* with,
                                       const durable_options& options) const {
  js_DeleteConsumer(with, queue.c_str(), fronts, nullptr, nullptr);
  make_consumer(with, queue, options);
}

std::string search_subject(const work_streams& in, const std::string& subject) {
  return "$JS.API.DIRECT.GET." + in.results + "." + subject;
}

} // namespace libpool

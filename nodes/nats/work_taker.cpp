#include "libpool/nodes/nats/work_taker.hpp"

#include "libpool/nodes/nats/failure_store.hpp"
#include "libpool/nodes/nats/front_records.hpp"
#include "libpool/nodes/nats/run_of_program.hpp"
#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/thread_signal.hpp"
#include "libpool/nodes/nats/work_fetcher.hpp"
#include "libpool/nodes/nats/work_messages.hpp"
#include "libpool/nodes/nats/work_questions.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/taken_submissions.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using steady = std::chrono::steady_clock;

constexpr auto before_repeat = taken_submissions::before_repeat;

constexpr std::chrono::milliseconds longest_wait{100};

/// Maximum time to send the last acknowledgements, in milliseconds.
constexpr int time_to_flush_acks = 200;

/// Maximum time until the servers have answered a question of a user.
constexpr std::chrono::seconds longest_question{2};

/// Number of failed messages, if it is not known.
constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();

/// State of a queue, which its thread and the callbacks of the C client share.
/// `work_` decides what to store and whom to ask, and this class does it.
class taking final : public work_queue {
public:
  taking(const pool_address& where, const durable_options& options,
         std::shared_ptr<work_user> user,
         std::function<void(const std::string& why)> waits,
         std::shared_ptr<void> keeps)
    : streams_(where),
      options_(options),
      user_(std::move(user)),
      waits_(std::move(waits)),
      keeps_(std::move(keeps)),
      records_(streams_, run_),
      failures_(streams_),
      line_(where.by, "_INBOX"),
      fetcher_({[this] { return room(); },
                [this](message_owner message) { came(message.get()); },
                [this] { broke(); }}),
      asking_line_(where.by),
      work_(keeps_failures()) {
    // nop
  }

  /// Takes submissions until `stop`. `me` refers to this object.
  void run(const std::weak_ptr<taking>& me) {
    auto receiver = std::make_shared<stream_line::receiver>(
      [me](const std::string& token, const message_owner& message) {
        if (auto self = me.lock())
          self->heard(token, message.get());
      });
    auto kept = steady::now();
    auto looked = kept;
    while (!signal_.is_over()) {
      if (!is_usable() && !open(receiver)) {
        signal_.wait(before_repeat);
        continue;
      }
      most_ = natsConnection_GetMaxPayload(line_.connection());
      store_nodes();
      take_steps();
      count_failures();
      if (steady::now() - kept >= options_.redelivery / 4) {
        kept = steady::now();
        keep();
      }
      if (steady::now() - looked >= options_.redelivery) {
        looked = steady::now();
        must_count_ = true;
        repair();
      }
      signal_.wait(longest_wait);
    }
    fetcher_.close();
    store_last_results();
    line_.close();
    keeps_ = nullptr; // the actor system may end from now on
  }

  void stop() {
    note([](auto& work) { work.end(); });
    signal_.stop();
  }

  void begin() override {
    note([](auto& work) { work.open(); });
    signal_.wake();
    fetcher_.wake();
  }

  void node_joined(std::uint64_t node,
                   std::function<void()> admitted) override {
    {
      std::lock_guard guard{mutex_};
      nodes_.joined(node);
      signal_.wake();
      if (!work_.all().empty()) {
        admissions_.push_back(std::move(admitted));
        return;
      }
    }
    admitted(); // no submission is claimed before the node is known
  }

  void node_left(std::uint64_t node) override {
    std::lock_guard guard{mutex_};
    nodes_.left(node, work_.last_number());
  }

  void check_earlier(std::uint64_t number,
                     std::vector<std::uint64_t> serving) override {
    note([&](auto& work) { work.check_earlier(number, std::move(serving)); });
  }

  void close() override {
    note([](auto& work) { work.close(); });
    signal_.wake();
  }

  void settle(std::uint64_t number, std::string result,
              std::optional<work_failure> failure) override {
    note([&](auto& work) {
      work.settle(number, std::move(result), std::move(failure));
    });
  }

  void put_back(std::uint64_t number) override {
    note([&](auto& work) { work.put_back(number, steady::now()); });
  }

  std::size_t most_bytes() const noexcept override {
    auto most = most_.load();
    return most > 0 ? static_cast<std::size_t>(most) : std::size_t{1} << 20U;
  }

  std::optional<std::uint64_t> count() const noexcept override {
    auto known = failed_.load();
    return known == unknown ? std::nullopt : std::optional{known};
  }

  std::vector<failed_message> list(std::uint64_t first,
                                   std::size_t most) override {
    return ask([this, first, most](jsCtx* with) {
      return failures_.list(with, first, most);
    });
  }

  bool submit_again(std::uint64_t number) override {
    return ask([this, number](jsCtx* with) {
      return failures_.submit_again(with, number);
    });
  }

  bool drop(std::uint64_t number) override {
    return ask(
      [this, number](jsCtx* with) { return failures_.drop(with, number); });
  }

private:
  /// Tells `work_` a fact, wakes the threads that it concerns, and then calls
  /// the user without the lock.
  template <class Fact>
  void note(Fact fact) {
    std::unique_lock guard{mutex_};
    fact(work_);
    auto arrived = std::exchange(work_.arrived(), {});
    auto settled = std::exchange(work_.settled(), {});
    auto has_changed = work_.take_change();
    guard.unlock();
    if (has_changed)
      signal_.wake();
    if (!settled.empty())
      fetcher_.wake();
    for (auto& each : arrived)
      user_->came(std::move(each));
    for (const auto& each : settled)
      user_->settled(each);
  }

  /// Whether the connection and the streams can be used.
  bool is_usable() {
    return line_.is_open() && !is_broken_.exchange(false);
  }

  /// Notes that the streams cannot be used: they may be missing.
  void broke() {
    is_broken_ = true;
    signal_.wake();
  }

  /// Stores the results that have come before the end, and gives submissions
  /// back that have not begun, for a while.
  void store_last_results() {
    constexpr std::chrono::milliseconds pause{5};
    note([](auto& work) { work.end(); });
    auto has_to_send = [this] {
      std::lock_guard guard{mutex_};
      return work_.has_to_send();
    };
    auto until = steady::now() + before_repeat;
    while (line_.is_connected() && has_to_send() && steady::now() < until) {
      take_steps();
      std::this_thread::sleep_for(pause);
    }
    if (line_.is_connected())
      natsConnection_FlushTimeout(line_.connection(), time_to_flush_acks);
  }

  bool open(const std::shared_ptr<stream_line::receiver>& receiver) {
    fetcher_.close();
    auto why = line_.open(receiver);
    if (why.empty())
      why = streams_.make(line_.context(), options_);
    if (why.empty())
      why = fetcher_.open(line_, streams_);
    if (!why.empty() && why != std::exchange(told_, why) && waits_
        && !signal_.is_over())
      waits_("the durable queue cannot be used: " + why);
    if (!why.empty()) {
      line_.close();
      return false;
    }
    told_.clear();
    note([](auto& work) { work.reconnected(); });
    return true;
  }

  // -- failed messages --------------------------------------------------------

  bool keeps_failures() const noexcept {
    return options_.keep_failed > duration{0};
  }

  /// Returns what `question` returns. It uses a connection of its own, since
  /// the thread of the queue must not wait for long.
  template <class F>
  std::invoke_result_t<F, jsCtx*> ask(F question) {
    if (!keeps_failures())
      throw std::runtime_error("the durable queue keeps no failed messages: "
                               "durable_options::keep_failed is 0");
    std::lock_guard guard{asking_};
    auto options = jetstream_options(longest_question);
    if (!asking_line_.is_open())
      if (auto why = asking_line_.open(options); !why.empty())
        throw std::runtime_error(why);
    auto result = question(asking_line_.context());
    must_count_ = true;
    signal_.wake();
    return result;
  }

  /// Asks the servers for the number of failed messages, if it may have
  /// changed.
  void count_failures() {
    if (!must_count_.exchange(false) || !keeps_failures())
      return;
    try {
      failed_ = failures_.count(line_.context());
    } catch (const std::runtime_error&) {
      failed_ = unknown;
    }
  }

  // -- nodes ------------------------------------------------------------------

  /// Stores the nodes of this front, if they are not stored or were stored long
  /// ago, and then lets new nodes serve.
  void store_nodes() {
    std::unique_lock guard{mutex_};
    auto now = steady::now();
    if (nodes_.is_stored() && now - stored_ < options_.keep_results / 2)
      return;
    const auto& all = work_.all();
    auto nodes = nodes_.nodes(all.empty() ? work_.last_number() + 1
                                          : all.begin()->first);
    auto version = nodes_.version();
    auto admissions = std::exchange(admissions_, {});
    guard.unlock();
    auto may_be_closed = now - stored_ > options_.keep_results;
    auto what = records_.store(line_.context(), nodes, may_be_closed);
    guard.lock();
    if (what == front_records::outcome::stored) {
      nodes_.stored(version);
      stored_ = now;
      guard.unlock();
      for (const auto& each : admissions)
        each();
      return;
    }
    admissions_.insert(admissions_.begin(), admissions.begin(),
                       admissions.end());
    guard.unlock();
    if (what != front_records::outcome::refused)
      return;
    close();
    if (!std::exchange(is_taken_over_, true))
      user_->taken_over();
  }

  // -- steps of submissions ---------------------------------------------------

  /// Takes the steps that are due. The servers are asked after messages are
  /// sent, and later again once they have not answered.
  void take_steps() {
    std::vector<outgoing> messages;
    std::vector<std::pair<taken_submissions::need, taken_submission>> questions;
    std::unique_lock guard{mutex_};
    auto now = steady::now();
    auto unclaimed = work_.drop_unclaimed(now);
    auto ended = std::exchange(work_.ended(), {});
    for (const auto& each : work_.take_due(nodes_.is_stored(), now))
      if (const auto& work = work_.all().at(each.number);
          is_question(each.step))
        questions.emplace_back(each, work);
      else
        messages.push_back(messages_.message_for(each, work));
    guard.unlock();
    reply(ended, "+ACK");
    reply(unclaimed, "-NAK");
    for (const auto& each : messages)
      line_.say(each);
    for (const auto& [step, work] : questions) {
      auto answer = questions_.ask(line_.context(), step, work);
      if (!answer)
        return;
      if (step.step == work_step::origin)
        must_count_ = true;
      note(answer);
    }
  }

  /// Tells the servers something of submissions.
  void reply(const std::vector<std::string>& targets, const char* what) {
    for (const auto& each : targets)
      natsConnection_PublishString(line_.connection(), each.c_str(), what);
  }

  /// Reports that this program still has its submissions, and renews old
  /// claims.
  void keep() {
    std::vector<std::string> all;
    std::vector<outgoing> claims;
    {
      std::lock_guard guard{mutex_};
      for (const auto& each : work_.all())
        all.push_back(each.second.reply);
      for (auto number :
           work_.take_old_claims(options_.keep_results / 2, steady::now()))
        claims.push_back(messages_.renewed_claim(work_.all().at(number)));
    }
    reply(all, "+WPI");
    for (const auto& each : claims)
      line_.say(each);
  }

  /// Has the queue deliver messages that it would never deliver. Messages that
  /// have begun do not begin again, because fronts have claimed them.
  void repair() {
    auto behind = streams_.left_behind(line_.context());
    auto is_stuck = behind != 0 && behind == left_behind_;
    left_behind_ = is_stuck ? 0 : behind;
    if (is_stuck)
      streams_.make_consumer_again(line_.context(), options_);
  }

  // -- what comes from the servers --------------------------------------------

  /// Notes the answer to a message. Other answers than that something is
  /// stored have no effect: the servers are asked again.
  void heard(const std::string& token, natsMsg* message) {
    auto answer = stream_answer_in(message);
    auto has_message = answer.is_stored || answer.is_taken;
    const answered_message what{token};
    if (what.kind == "kept") {
      must_count_ = true;
      if (!has_message)
        return broke();
    }
    if (!has_message)
      return;
    note([&](auto& work) {
      if (what.kind == "claimed")
        work.claimed(what.number, what.claim, answer.is_stored);
      else if (what.kind == "stored")
        work.stored(what.number, answer.is_stored);
      else if (what.kind == "kept")
        work.kept(what.number, answer.is_stored);
    });
  }

  /// Returns the number of submissions that the window allows.
  std::size_t room() {
    std::lock_guard guard{mutex_};
    auto most = work_.is_open() ? options_.window : 0;
    return most - std::min(most, work_.all().size());
  }

  void came(natsMsg* message) {
    if (auto made = messages_.submission_in(message))
      note([&](auto& work) { work.came(*std::move(made)); });
  }

  const work_streams streams_;
  const durable_options options_;
  const std::uint64_t run_ = draw_run();
  const work_messages messages_{streams_, options_, run_};
  const std::shared_ptr<work_user> user_;
  const std::function<void(const std::string& why)> waits_;
  std::shared_ptr<void> keeps_; // until the thread ends
  std::string told_;            // last reason of `waits_`
  std::atomic<std::int64_t> most_{0};
  std::atomic<std::uint64_t> failed_{unknown}; // messages
  std::atomic<bool> must_count_{true};         // these
  std::atomic<bool> is_broken_{false};         // a stream
  front_records records_; // used by the thread of the queue
  work_questions questions_{streams_, records_, run_}; // likewise
  failure_store failures_;                             // likewise
  bool is_taken_over_ = false;                         // likewise
  stream_line line_;                                   // likewise
  work_fetcher fetcher_;                               // likewise
  std::uint64_t left_behind_ = 0;                      // likewise
  std::mutex asking_;
  jetstream asking_line_; // used by one thread at a time, which has locked it
  thread_signal signal_;
  std::mutex mutex_;
  taken_submissions work_;
  nodes_of_front nodes_;
  steady::time_point stored_{};                   // of the nodes, last time
  std::vector<std::function<void()>> admissions_; // wait for this
};

} // namespace

std::shared_ptr<work_queue>
open_work_queue(const pool_address& where, const durable_options& options,
                std::shared_ptr<work_user> user,
                std::function<void(const std::string& why)> waits,
                std::shared_ptr<void> keeps) {
  auto state = std::make_shared<taking>(where, options, std::move(user),
                                        std::move(waits), std::move(keeps));
  std::thread{[state] { state->run(state); }}.detach();
  return {state.get(), [state](work_queue*) { state->stop(); }};
}

} // namespace libpool

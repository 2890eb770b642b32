#include "libpool/nodes/nats/work_taker.hpp"

#include "libpool/nodes/nats/failure_store.hpp"
#include "libpool/nodes/nats/front_records.hpp"
#include "libpool/nodes/nats/run_of_program.hpp"
#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/thread_signal.hpp"
#include "libpool/nodes/nats/work_fetcher.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/nodes_of_front.hpp"
#include "libpool/nodes/protocol/submission_claims.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_wait{100};

/// Pause before a submission goes back to the queue, and before the servers are
/// asked again for something that they have not answered.
constexpr std::chrono::seconds before_repeat{2};

/// Maximum time to send the last acknowledgements, in milliseconds.
constexpr int time_to_flush_acks = 200;

/// Maximum time until the servers have answered a question of a user.
constexpr std::chrono::seconds longest_question{2};

/// Maximum number of failed messages that are removed in one round, for which
/// the thread of the queue waits.
constexpr std::size_t most_removed = 16;

/// Number of failed messages, if it is not known.
constexpr auto unknown = std::numeric_limits<std::uint64_t>::max();

/// Returns a claim as text: numbers, with spaces between them.
std::string text_of(const work_claim& claim) {
  auto result = std::to_string(claim.unused);
  for (const auto& each : claim.takings)
    result += ' ' + std::to_string(each.number) + ' '
              + std::to_string(each.front);
  return result;
}

work_claim claim_in(std::string_view text) {
  std::istringstream words{std::string{text}};
  work_claim result;
  words >> result.unused;
  for (work_taking each; words >> each.number >> each.front;)
    result.takings.push_back(each);
  return result;
}

std::vector<std::uint64_t> numbers_of(const std::vector<work_taking>& takings) {
  std::vector<std::uint64_t> result;
  for (const auto& each : takings)
    result.push_back(each.number);
  return result;
}

/// Place of a submission in the stream, and its subject. A cluster that has
/// lost a server can use a place twice.
using work_place = std::pair<std::uint64_t, std::string>;

/// A submission of this front.
struct taken_work {
  std::uint64_t place = 0;
  std::string subject;
  std::string reply; // where it is acknowledged
  std::shared_ptr<const std::string> content;
  submission_claims claims;
  std::uint64_t former = 0; // place of the failed message that it came of
  std::uint64_t earlier_attempts = 0;                 // of that message
  std::optional<std::string> result = std::nullopt;   // unset: none yet
  std::optional<work_failure> failure = std::nullopt; // that the result is
  bool has_result = false; // in the store, which may be another one
  bool must_read = false;  // this result
  bool goes_back = false;
  bool is_checked = false;      // whether it has begun for an earlier front
  steady::time_point due{};     // of the next attempt of what it needs
  steady::time_point claimed{}; // last time
};

/// State of a queue, which its thread and the callbacks of the C client share.
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
      records_(streams_, run_number_),
      failures_(streams_),
      line_(where.by, "_INBOX"),
      fetcher_({[this] { return room(); },
                [this](message_owner message) { came(std::move(message)); },
                [this] { broke(); }}),
      questions_(where.by) {
    // nop
  }

  /// Takes submissions until `stop`. `me` refers to this object.
  void run(const std::weak_ptr<taking>& me) {
    auto receiver = std::make_shared<stream_line::receiver>(
      [me](const std::string& token, message_owner message) {
        if (auto self = me.lock())
          self->heard(token, std::move(message));
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
      check_earlier();
      send_what_is_due();
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
    signal_.stop();
  }

  void begin() override {
    std::lock_guard guard{mutex_};
    is_closed_ = false;
    signal_.wake();
    fetcher_.wake();
  }

  void node_joined(std::uint64_t node,
                   std::function<void()> admitted) override {
    {
      std::lock_guard guard{mutex_};
      nodes_.joined(node);
      signal_.wake();
      if (!taken_.empty()) {
        admissions_.push_back(std::move(admitted));
        return;
      }
    }
    admitted(); // no submission is claimed before the node is known
  }

  void node_left(std::uint64_t node) override {
    std::lock_guard guard{mutex_};
    nodes_.left(node, last_number_);
  }

  void check_earlier(std::uint64_t number,
                     std::vector<std::uint64_t> serving) override {
    std::lock_guard guard{mutex_};
    checks_.push_back({number, std::move(serving)});
    signal_.wake();
  }

  void close() override {
    std::lock_guard guard{mutex_};
    is_closed_ = true;
    signal_.wake();
  }

  void settle(std::uint64_t number, std::string result,
              std::optional<work_failure> failure) override {
    std::lock_guard guard{mutex_};
    if (auto found = taken_.find(number);
        found != taken_.end() && !found->second.has_result) {
      found->second.result = std::move(result);
      if (keeps_failures() && failure) {
        failure->attempts += found->second.earlier_attempts;
        found->second.failure = std::move(failure);
      }
      found->second.due = {};
      signal_.wake();
    }
  }

  void put_back(std::uint64_t number) override {
    std::lock_guard guard{mutex_};
    if (auto found = taken_.find(number); found != taken_.end()) {
      found->second.goes_back = true;
      found->second.due = steady::now();
      if (!is_closed_) // this front would take it again
        found->second.due += before_repeat;
      signal_.wake();
    }
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
  using submission_map = std::map<std::uint64_t, taken_work>;

  /// Whether the connection and the streams can be used.
  bool is_usable() {
    std::lock_guard guard{mutex_};
    return line_.is_open() && !std::exchange(is_broken_, false);
  }

  /// Stores the results that have come before the end, and gives submissions
  /// back that have not begun, for a while.
  void store_last_results() {
    constexpr std::chrono::milliseconds pause{5};
    {
      std::lock_guard guard{mutex_};
      is_closed_ = true;
      for (auto& [number, work] : taken_)
        if (work.result || work.goes_back || work.has_result)
          work.due = {};
    }
    auto until = steady::now() + before_repeat;
    while (line_.is_connected() && has_to_send() && steady::now() < until) {
      send_what_is_due();
      std::this_thread::sleep_for(pause);
    }
    if (line_.is_connected())
      natsConnection_FlushTimeout(line_.connection(), time_to_flush_acks);
  }

  bool has_to_send() {
    std::lock_guard guard{mutex_};
    return !done_.empty()
           || std::any_of(taken_.begin(), taken_.end(), [](const auto& each) {
                const auto& work = each.second;
                return work.result || work.goes_back || work.has_result
                       || work.claims.next() != claim_step::none;
              });
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
    std::lock_guard guard{mutex_};
    for (auto& each : taken_)
      if (!each.second.goes_back)
        each.second.due = {}; // answers of the servers may be lost
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
    if (!questions_.is_open())
      if (auto why = questions_.open(options); !why.empty())
        throw std::runtime_error(why);
    auto result = question(questions_.context());
    must_count_ = true;
    signal_.wake();
    return result;
  }

  /// Asks the servers for the number of failed messages, if it may have
  /// changed.
  void count_failures() {
    if (must_count_.exchange(false) && keeps_failures()
        && !try_to([this] { failed_ = failures_.count(line_.context()); }))
      failed_ = unknown;
  }

  /// Returns whether the servers have done what `call` wants of them.
  template <class F>
  static bool try_to(F call) {
    try {
      call();
      return true;
    } catch (const std::runtime_error&) {
      return false;
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
    auto oldest = taken_.empty() ? last_number_ + 1 : taken_.begin()->first;
    auto nodes = nodes_.nodes(oldest);
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
    } else {
      admissions_.insert(admissions_.begin(), admissions.begin(),
                         admissions.end());
      auto is_refused = what == front_records::outcome::refused;
      is_closed_ = is_closed_ || is_refused;
      guard.unlock();
      if (is_refused && !std::exchange(is_taken_over_, true))
        user_->taken_over();
    }
  }

  /// A submission that may have begun for an earlier front.
  struct check_of_work {
    std::uint64_t number = 0;
    /// Nodes that serve and have not begun it; unset: the user must find them
    /// out, after the records of earlier fronts have been read.
    std::optional<std::vector<std::uint64_t>> serving;
  };

  /// Decides for submissions of lost fronts whether they have begun.
  void check_earlier() {
    std::unique_lock guard{mutex_};
    auto all = std::exchange(checks_, {});
    guard.unlock();
    while (!all.empty() && !signal_.is_over() && check(all.front()))
      all.pop_front();
    guard.lock(); // the servers are asked again
    checks_.insert(checks_.begin(), all.begin(), all.end());
  }

  /// Returns false if the servers have not answered.
  bool check(const check_of_work& what) {
    std::unique_lock guard{mutex_};
    auto found = taken_.find(what.number);
    if (found == taken_.end())
      return true;
    auto takings = found->second.claims.takings();
    guard.unlock();
    takings.erase(takings.begin());
    return what.serving ? decide(what, takings) : look(what.number, takings);
  }

  /// Reads the records of earlier fronts, and passes the submission on.
  bool look(std::uint64_t number, const std::vector<work_taking>& earlier) {
    for (const auto& each : earlier)
      if (!records_.look(line_.context(), each.front))
        return false;
    std::unique_lock guard{mutex_};
    if (auto found = taken_.find(number); found != taken_.end())
      hand_over(found, guard);
    return true;
  }

  /// Decides whether a submission has begun. A result is looked for after the
  /// records: nodes forget submissions whose results are stored.
  bool decide(const check_of_work& what,
              const std::vector<work_taking>& earlier) {
    auto verdict = have_begun(earlier, *what.serving);
    message_owner stored;
    auto result = subjects_of(what.number).first;
    auto status = result.empty() ? NATS_OK : last_of(result, stored);
    if (status != NATS_OK && status != NATS_NOT_FOUND)
      return false;
    std::unique_lock guard{mutex_};
    auto found = taken_.find(what.number);
    if (found == taken_.end())
      return true;
    auto& work = found->second;
    if (status == NATS_OK) {
      has_result(found, failure_in(stored.get()), guard);
      return true;
    }
    work.is_checked = verdict == front_records::verdict::may_have_begun;
    if (verdict == front_records::verdict::never_began)
      work.claims.never_began();
    go_on(found, guard);
    return true;
  }

  front_records::verdict have_begun(const std::vector<work_taking>& earlier,
                                    const std::vector<std::uint64_t>& serving) {
    using verdict = front_records::verdict;
    if (earlier.empty())
      return verdict::may_have_begun;
    for (const auto& each : earlier) {
      auto result = each.front == run_number_
                      ? verdict::may_have_begun
                      : records_.close(line_.context(), each.front, serving);
      if (result != verdict::never_began)
        return result;
    }
    return verdict::never_began;
  }

  // -- what goes to the servers -----------------------------------------------

  void send_what_is_due() {
    std::vector<outgoing> due;
    std::vector<std::string> done;
    std::vector<std::string> not_begun;
    std::vector<std::uint64_t> unread; // whose results may be stored
    std::vector<std::uint64_t> ended;  // whose failed messages are settled
    {
      std::lock_guard guard{mutex_};
      if (is_closed_)
        not_begun = drop_not_begun();
      done = std::exchange(done_, {});
      auto now = steady::now();
      for (auto& [number, work] : taken_)
        if (is_due(work, now)
            && !(is_done(work) && ended.size() == most_removed)) {
          work.due = now + before_repeat;
          if (work.must_read
              || (!work.has_result && work.claims.next() == claim_step::search))
            unread.push_back(number);
          else if (is_done(work))
            ended.push_back(number);
          else
            due.push_back(message_for(number, work));
        }
    }
    reply(done, "+ACK");
    reply(not_begun, "-NAK");
    for (const auto& each : due)
      line_.say(each);
    for (auto each : unread)
      if (!look_for(each))
        break; // the servers are asked again
    for (auto each : ended)
      remove_origin(each);
  }

  /// Removes the failed message whose new submission has not failed.
  void remove_origin(std::uint64_t number) {
    auto name = subjects_of(number).first;
    name.erase(0, std::min(name.size(), streams_.result.size()));
    if (!try_to([&] { failures_.remove_origin(line_.context(), name); }))
      return; // the servers are asked again
    must_count_ = true;
    std::unique_lock guard{mutex_};
    if (auto found = taken_.find(number); found != taken_.end())
      finish(found, guard);
  }

  /// Drops submissions whose claims are not complete when a repeated question
  /// is due. Returns where the queue is told that another front may have them.
  std::vector<std::string> drop_not_begun() {
    std::vector<std::string> result;
    auto now = steady::now();
    for (auto i = taken_.begin(); i != taken_.end();) {
      const auto& work = i->second;
      if (work.claims.next() == claim_step::none || work.has_result
          || work.due > now) {
        ++i;
      } else {
        result.push_back(work.reply);
        numbers_.erase({work.place, work.subject});
        i = taken_.erase(i);
      }
    }
    return result;
  }

  /// Looks whether the store has the result of a submission that an earlier
  /// front has claimed, and reads the claim otherwise. Asks the leader of the
  /// store. Returns whether it has answered.
  bool look_for(std::uint64_t number) {
    auto [result, claim] = subjects_of(number);
    if (result.empty())
      return true;
    message_owner stored;
    auto status = last_of(result, stored);
    auto is_stored = status == NATS_OK;
    if (status == NATS_NOT_FOUND)
      status = last_of(claim, stored);
    if (status != NATS_OK && status != NATS_NOT_FOUND)
      return false;
    std::unique_lock guard{mutex_};
    auto place = taken_.find(number);
    if (place == taken_.end())
      return true;
    place->second.must_read = false;
    if (is_stored) {
      has_result(place, failure_in(stored.get()), guard);
    } else if (!has_begun(place->second.subject)) {
      place->second.claims.not_found();
      place->second.claims.was_read(claim_in(bytes_in(stored.get())));
      go_on(place, guard);
    }
    return true;
  }

  /// Returns the subjects of the result and of the claim; empty if the
  /// submission is gone.
  std::pair<std::string, std::string> subjects_of(std::uint64_t number) {
    std::lock_guard guard{mutex_};
    auto found = taken_.find(number);
    if (found == taken_.end())
      return {};
    return {result_subject(found->second), claim_subject(found->second)};
  }

  /// Reads the last message of a subject in the store.
  natsStatus last_of(const std::string& subject, message_owner& found) {
    natsMsg* message = nullptr;
    auto status = js_GetLastMsg(&message, line_.context(),
                                streams_.results.c_str(), subject.c_str(),
                                nullptr, nullptr);
    found.reset(message);
    return status;
  }

  /// Tells the servers something of submissions.
  void reply(const std::vector<std::string>& targets, const char* what) {
    for (const auto& each : targets)
      natsConnection_PublishString(line_.connection(), each.c_str(), what);
  }

  /// Whether all that is left is to remove the failed message that the
  /// submission came of.
  static bool is_done(const taken_work& work) {
    return work.has_result && !work.failure;
  }

  /// A claim waits until the nodes of this front are stored.
  bool is_due(const taken_work& work, steady::time_point now) const {
    auto next = work.claims.next();
    auto has_to_send = next == claim_step::none
                         ? work.result || work.goes_back
                         : next != claim_step::claim || nodes_.is_stored();
    return (has_to_send || work.has_result) && work.due <= now;
  }

  /// Returns what a submission needs of the servers: that they store a claim,
  /// its result, its failed message or itself.
  outgoing message_for(std::uint64_t number, taken_work& work) {
    auto id = "." + std::to_string(number);
    auto claim = std::to_string(work.claims.claim());
    outgoing result;
    if (work.has_result) {
      result = failures_.message_for(name_in_streams(work), *work.content,
                                     *work.failure, work.former);
      result.token = "kept" + id;
    } else if (work.claims.next() == claim_step::claim) {
      result = claim_of(work);
      result.token = "claimed" + id + "." + claim;
      result.id = name_of(number) + "." + claim;
      result.former = 0;
      work.claimed = steady::now();
    } else if (work.result) {
      result.subject = result_subject(work);
      result.bytes = *work.result;
      result.token = "stored" + id;
      result.former = 0;
      if (work.failure)
        result.headers = headers_of(*work.failure);
    } else {
      result.subject = work.subject;
      result.bytes = *work.content;
      result.token = "stored" + id;
      result.id = name_of(number);
      result.headers = {
        {unused_claims_header, std::to_string(work.claims.unused())},
        {attempts_header, std::to_string(work.earlier_attempts)}};
    }
    return result;
  }

  outgoing claim_of(const taken_work& work) const {
    outgoing result;
    result.subject = claim_subject(work);
    result.bytes = text_of(work.claims.content());
    result.token = "renewed";
    return result;
  }

  std::string claim_subject(const taken_work& work) const {
    return result_subject(work) + "." + std::to_string(work.claims.claim());
  }

  /// Returns the id by which a stream detects that a message about a submission
  /// is repeated.
  std::string name_of(std::uint64_t number) const {
    return run_ + "." + std::to_string(number);
  }

  /// Reports that this program still has its submissions, and renews old
  /// claims.
  void keep() {
    std::vector<std::string> all;
    std::vector<outgoing> claims;
    {
      std::lock_guard guard{mutex_};
      auto now = steady::now();
      for (auto& [number, work] : taken_) {
        all.push_back(work.reply);
        if (work.claims.is_claimed()
            && now - work.claimed > options_.keep_results / 2) {
          work.claimed = now;
          claims.push_back(claim_of(work));
        }
      }
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

  void heard(const std::string& token, message_owner message) {
    auto dot = std::min(token.find('.'), token.size());
    auto kind = token.substr(0, dot);
    char* end = nullptr;
    auto number = std::strtoull(token.c_str() + std::min(dot + 1, token.size()),
                                &end, 10);
    if (kind == "claimed")
      claimed(number, std::strtoull(end + (*end == '.' ? 1 : 0), nullptr, 10),
              stream_answer_in(message.get()));
    else if (kind == "stored")
      stored(number, stream_answer_in(message.get()));
    else if (kind == "kept")
      kept(number, stream_answer_in(message.get()));
  }

  /// Returns the number of submissions that the window allows.
  std::size_t room() {
    std::lock_guard guard{mutex_};
    return is_closed_
             ? 0
             : options_.window - std::min(options_.window, taken_.size());
  }

  /// Notes that the queue cannot be read: the streams may be missing.
  void broke() {
    std::lock_guard guard{mutex_};
    is_broken_ = true;
    signal_.wake();
  }

  /// Notes a submission. If it is here already, the queue has given it again
  /// because no sign of life has reached the servers.
  void came(message_owner message) {
    jsMsgMetaData* read = nullptr;
    if (natsMsg_GetMetaData(&read, message.get()) != NATS_OK)
      return;
    auto place = read->Sequence.Stream;
    std::string subject{natsMsg_GetSubject(message.get())};
    auto claims = claims_for(message.get(), *read);
    jsMsgMetaData_Destroy(read);
    std::lock_guard guard{mutex_};
    auto [known, is_new] = numbers_.try_emplace({place, subject},
                                                last_number_ + 1);
    if (!is_new) {
      taken_.at(known->second).reply = natsMsg_GetReply(message.get());
      return;
    }
    taken_work work{place, std::move(subject), natsMsg_GetReply(message.get()),
                    std::make_shared<std::string>(bytes_in(message.get())),
                    std::move(claims)};
    work.former = submission_subject{name_in_streams(work)}.place;
    work.earlier_attempts = number_in(message.get(), attempts_header);
    taken_.emplace(++last_number_, std::move(work));
    signal_.wake();
  }

  /// A submission that may have begun so long ago that the servers no longer
  /// have the claim counts as begun.
  submission_claims claims_for(natsMsg* message,
                               const jsMsgMetaData& data) const {
    using std::chrono::system_clock;
    auto is_repeated = header_of(message, repeated_header) != nullptr;
    auto now = system_clock::now().time_since_epoch();
    auto is_old = now - std::chrono::nanoseconds{data.Timestamp}
                  > options_.keep_results;
    return {{draw_run(), run_number_},
            number_in(message, unused_claims_header),
            is_old && (data.NumDelivered > 1 || is_repeated),
            options_.retries};
  }

  /// Passes a submission to the user, without the lock.
  void hand_over(submission_map::iterator submission,
                 std::unique_lock<std::mutex>& guard) {
    const auto& [number, mine] = *submission;
    auto name = name_in_streams(mine);
    queued_work work{number,
                     numbers_of(mine.claims.takings()),
                     mine.claims.attempt(),
                     mine.is_checked,
                     name.substr(0, name.find('.')),
                     {mine.content, *mine.content}};
    guard.unlock();
    user_->came(std::move(work));
  }

  void claimed(std::uint64_t number, std::uint64_t claim,
               const stream_answer& answer) {
    std::unique_lock guard{mutex_};
    auto place = taken_.find(number);
    if (place == taken_.end() || !(answer.is_stored || answer.is_taken)
        || place->second.claims.next() != claim_step::claim)
      return; // the servers are asked again
    place->second.claims.claimed(claim, answer.is_stored);
    go_on(place, guard);
  }

  /// Passes a submission on whose claims are complete. At the end, it goes back
  /// instead, with its claim unused, if it has one.
  void go_on(submission_map::iterator submission,
             std::unique_lock<std::mutex>& guard) {
    const auto& claims = submission->second.claims;
    auto goes_back = signal_.is_over() && claims.is_claimed();
    auto is_ready = claims.next() == claim_step::none && !goes_back;
    auto must_check = claims.takings().size() > 1
                      && !submission->second.is_checked;
    if (is_ready && !must_check)
      return hand_over(submission, guard);
    if (is_ready)
      checks_.push_back({submission->first, std::nullopt});
    submission->second.goes_back = goes_back;
    submission->second.due = {};
    signal_.wake();
  }

  /// Whether the user has a submission of that subject.
  /// @pre the mutex is locked
  bool has_begun(const std::string& subject) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const auto& each) {
      return each.second.subject == subject
             && each.second.claims.next() == claim_step::none;
    });
  }

  void stored(std::uint64_t number, const stream_answer& answer) {
    std::unique_lock guard{mutex_};
    auto place = taken_.find(number);
    if (place == taken_.end() || place->second.has_result
        || !(answer.is_stored || answer.is_taken))
      return;
    if (!place->second.result) // it goes back
      return finish(place, guard);
    if (answer.is_stored || !keeps_failures())
      return has_result(place, std::move(place->second.failure), guard);
    place->second.must_read = true; // another front may have stored a failure
    place->second.due = {};
    signal_.wake();
  }

  /// Notes that the result of a submission is stored, and how it has failed, if
  /// it has. A failed message is stored or removed before the submission is.
  void has_result(submission_map::iterator submission,
                  std::optional<work_failure> failure,
                  std::unique_lock<std::mutex>& guard) {
    auto& work = submission->second;
    work.failure = std::move(failure);
    work.has_result = true;
    if (!keeps_failures() || (!work.failure && work.former == 0))
      return finish(submission, guard);
    work.due = {};
    signal_.wake();
  }

  /// If a failed message that came of an earlier one has no former message, it
  /// was removed or is too old.
  void kept(std::uint64_t number, const stream_answer& answer) {
    std::unique_lock guard{mutex_};
    auto place = taken_.find(number);
    if (place == taken_.end())
      return;
    if (!answer.is_stored && !answer.is_taken) {
      is_broken_ = true; // the store may be missing
      return signal_.wake();
    }
    must_count_ = true;
    if (answer.is_stored || place->second.former == 0)
      return finish(place, guard);
    place->second.former = 0;
    place->second.due = {};
    signal_.wake();
  }

  /// Acknowledges a submission whose result is stored.
  void finish(submission_map::iterator submission,
              std::unique_lock<std::mutex>& guard) {
    auto work = std::move(submission->second);
    done_.push_back(std::move(work.reply));
    numbers_.erase({work.place, work.subject});
    taken_.erase(submission);
    signal_.wake();
    fetcher_.wake();
    guard.unlock();
    user_->settled(numbers_of(work.claims.takings()));
  }

  std::string result_subject(const taken_work& work) const {
    return streams_.result + name_in_streams(work);
  }

  /// Returns the part of the subject that all streams have.
  std::string name_in_streams(const taken_work& work) const {
    return work.subject.substr(streams_.work.size());
  }

  const work_streams streams_;
  const durable_options options_;
  const std::uint64_t run_number_ = draw_run();
  const std::string run_ = std::to_string(run_number_);
  const std::shared_ptr<work_user> user_;
  const std::function<void(const std::string& why)> waits_;
  std::shared_ptr<void> keeps_; // until the thread ends
  std::string told_;            // last reason of `waits_`
  std::atomic<std::int64_t> most_{0};
  std::atomic<std::uint64_t> failed_{unknown}; // messages
  std::atomic<bool> must_count_{true};         // these
  front_records records_;         // used by the thread of the queue
  failure_store failures_;        // likewise
  bool is_taken_over_ = false;    // likewise
  stream_line line_;              // likewise
  work_fetcher fetcher_;          // likewise
  std::uint64_t left_behind_ = 0; // likewise
  std::mutex asking_;
  jetstream questions_; // used by one thread at a time, which has locked it
  thread_signal signal_;
  std::mutex mutex_;
  submission_map taken_;
  std::map<work_place, std::uint64_t> numbers_; // of what is in `taken_`
  std::uint64_t last_number_ = 0;
  std::vector<std::string> done_; // to be acknowledged
  nodes_of_front nodes_;
  steady::time_point stored_{};                   // of the nodes, last time
  std::vector<std::function<void()>> admissions_; // wait for this
  std::deque<check_of_work> checks_;
  bool is_closed_ = true;  // until it begins
  bool is_broken_ = false; // the connection, or a stream
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

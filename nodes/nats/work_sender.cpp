#include "libpool/nodes/nats/work_sender.hpp"

#include "libpool/nodes/nats/nats_line.hpp"
#include "libpool/nodes/nats/stream_line.hpp"
#include "libpool/nodes/nats/thread_signal.hpp"
#include "libpool/nodes/nats/work_streams.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace libpool {

namespace {

using steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds longest_rest{100};

/// Pause before a submission is repeated, and before the connection is.
constexpr std::chrono::seconds before_sending_again{2};

/// Pause before the first search for a result that may have been missed. Each
/// further pause is twice as long, up to the longest one.
constexpr std::chrono::seconds before_search{1};
constexpr std::chrono::seconds longest_pause{60};

/// A submission without a result.
struct open_submission {
  std::uint64_t number = 0;
  std::string bytes;
  bool was_sent = false;
  bool is_stored = false;
  steady::time_point due{};     // of the next attempt to store or to find
  steady::time_point repeats{}; // if it is stored
  steady::duration pause{};     // until it is repeated once more
  steady::duration searches = before_search; // pause until the next search

  /// Plans the next search.
  void search_later(steady::time_point now) {
    due = std::min(now + searches, repeats);
    searches = std::min<steady::duration>(2 * searches, longest_pause);
  }
};

/// State of a queue, which its thread and the callbacks of the C client share.
class sending final : public submission_queue {
public:
  sending(const pool_address& where, const std::string& name,
          std::shared_ptr<submission_user> user, duration before_repeating)
    : streams_(where),
      work_(streams_.work + nats_token(name) + "."),
      result_(streams_.result + nats_token(name) + "."),
      user_(std::move(user)),
      before_repeating_(before_repeating),
      line_(where.by, "_INBOX_" + nats_token(name)) {
    // nop
  }

  /// Sends until `stop`. `me` refers to this object.
  void run(const std::weak_ptr<sending>& me) {
    auto direct = std::make_shared<stream_line::receiver>(
      [me](const std::string& token, const message_owner& message) {
        if (auto self = me.lock())
          self->heard(token, message);
      });
    while (!signal_.is_over()) {
      auto why = open(direct);
      report(why);
      if (!why.empty()) {
        signal_.wait(before_sending_again);
        continue;
      }
      most_ = natsConnection_GetMaxPayload(line_.connection());
      send_what_is_due();
      signal_.wait(longest_rest);
    }
    line_.close();
  }

  void stop() {
    signal_.stop();
  }

  void submit(const std::string& id, std::string content) override {
    std::lock_guard guard{mutex_};
    auto number = ++last_number_;
    auto token = nats_token(id);
    by_number_[number] = token;
    auto& made = open_[token];
    made.id = id;
    made.work.number = number;
    made.work.bytes = std::move(content);
    made.work.pause = before_repeating_;
    signal_.wake();
  }

  void forget(const std::string& id) override {
    std::lock_guard guard{mutex_};
    if (auto found = open_.find(nats_token(id)); found != open_.end())
      remove(found);
  }

  std::size_t most_bytes() const noexcept override {
    auto most = most_.load();
    return most > 0 ? static_cast<std::size_t>(most) : std::size_t{1} << 20U;
  }

private:
  struct named_submission {
    std::string id;
    open_submission work;
  };

  using submission_map = std::map<std::string, named_submission>;

  /// Returns why there is no connection; empty if there is one.
  std::string open(const std::shared_ptr<stream_line::receiver>& receiver) {
    if (line_.is_open())
      return {};
    if (auto why = line_.open(receiver); !why.empty())
      return why;
    if (!line_.listen(result_ + "*", receiver)) {
      line_.close();
      return "the NATS server refuses";
    }
    std::lock_guard guard{mutex_};
    refusal_.clear();
    for (auto& each : open_)
      each.second.work.due = {}; // answers and results may be lost
    return {};
  }

  /// Tells the user whether submissions can be stored, when this changes.
  void report(std::string why) {
    {
      std::lock_guard guard{mutex_};
      if (why.empty() && !line_.is_connected())
        why = "the NATS server cannot be reached";
      else if (why.empty())
        why = refusal_;
      if (why.empty() && is_silent_)
        why = "the NATS server does not confirm messages";
    }
    if (is_told_ && why == told_)
      return;
    is_told_ = true;
    told_ = why;
    if (why.empty())
      user_->came_up();
    else
      user_->went_down(why);
  }

  // -- what goes to the servers -----------------------------------------------

  void send_what_is_due() {
    std::vector<outgoing> due;
    {
      std::lock_guard guard{mutex_};
      auto now = steady::now();
      for (auto& [token, each] : open_)
        if (each.work.due <= now)
          add_messages(token, each.work, now, due);
    }
    for (const auto& each : due)
      line_.say(each);
  }

  /// Adds the submission, the search for its result, or both.
  void add_messages(const std::string& token, open_submission& subject,
                    steady::time_point now, std::vector<outgoing>& outgoings) {
    auto repeats = subject.is_stored && now >= subject.repeats;
    if (!subject.is_stored || repeats)
      outgoings.push_back(submission(token, subject));
    if (subject.is_stored)
      outgoings.push_back(search(token, subject));
    subject.due = now + before_sending_again;
    if (repeats) {
      subject.pause *= 2;
      subject.repeats = now + subject.pause;
    }
    if (subject.is_stored)
      subject.search_later(now);
    else if (std::exchange(subject.was_sent, true))
      is_silent_ = true;
  }

  outgoing submission(const std::string& token,
                      const open_submission& subject) const {
    outgoing result;
    result.subject = work_ + token;
    result.bytes = subject.bytes;
    result.token = "stored." + std::to_string(subject.number);
    result.id = result.subject;
    if (subject.is_stored)
      result.headers = {{repeated_header, "yes"}};
    return result;
  }

  outgoing search(const std::string& token,
                  const open_submission& submission) const {
    outgoing result;
    result.subject = search_subject(streams_, result_ + token);
    result.token = "found." + std::to_string(submission.number);
    return result;
  }

  // -- what comes from the servers --------------------------------------------

  void heard(const std::string& token, const message_owner& message) {
    if (token.empty()) {
      auto subject = std::string{natsMsg_GetSubject(message.get())};
      return answered(subject.substr(result_.size()), message.get());
    }
    auto dot = token.find('.');
    auto number = std::strtoull(token.substr(dot + 1).c_str(), nullptr, 10);
    std::unique_lock guard{mutex_};
    auto named = by_number_.find(number);
    if (named == by_number_.end())
      return;
    auto name = named->second;
    guard.unlock();
    if (token.compare(0, dot, "stored") == 0)
      stored(name, stream_answer_in(message.get()));
    else
      found(name, message.get());
  }

  void stored(const std::string& token, const stream_answer& answer) {
    std::unique_lock guard{mutex_};
    auto place = open_.find(token);
    refusal_ = answer.why;
    is_silent_ = false;
    if (place == open_.end() || !answer.is_stored)
      return signal_.wake();
    auto id = place->second.id;
    auto& work = place->second.work;
    if (std::exchange(work.is_stored, true))
      return;
    work.repeats = steady::now() + work.pause;
    if (answer.is_repeated) {
      work.due = {};
      signal_.wake();
    } else {
      work.search_later(steady::now());
    }
    guard.unlock();
    user_->accepted(id);
  }

  void found(const std::string& token, natsMsg* message) {
    if (header_of(message, "Status") == nullptr) // there is a result
      answered(token, message);
  }

  void answered(const std::string& token, natsMsg* message) {
    std::unique_lock guard{mutex_};
    auto place = open_.find(token);
    if (place == open_.end())
      return;
    auto id = place->second.id;
    remove(place);
    guard.unlock();
    auto bytes = std::make_shared<std::string>(bytes_in(message));
    user_->answered(id, {bytes, *bytes});
  }

  void remove(submission_map::iterator submission) {
    by_number_.erase(submission->second.work.number);
    open_.erase(submission);
    if (!open_.empty())
      return;
    refusal_.clear(); // the next submission shows whether it still holds
    is_silent_ = false;
    signal_.wake();
  }

  const work_streams streams_;
  const std::string work_;   // beginning of the subjects of submissions
  const std::string result_; // and of results
  const std::shared_ptr<submission_user> user_;
  const duration before_repeating_;
  std::atomic<std::int64_t> most_{0};
  stream_line line_; // used by the thread of the queue
  std::string told_; // likewise
  bool is_told_ = false;
  thread_signal signal_;
  std::mutex mutex_;
  std::string refusal_;    // by the servers, of what was sent last
  bool is_silent_ = false; // no answer has come to what was sent
  submission_map open_;    // by the token of the id
  std::map<std::uint64_t, std::string> by_number_;
  std::uint64_t last_number_ = 0;
};

} // namespace

std::shared_ptr<submission_queue>
open_submission_queue(const pool_address& where, const std::string& name,
                      std::shared_ptr<submission_user> user,
                      duration before_repeating) {
  auto state = std::make_shared<sending>(where, name, std::move(user),
                                         before_repeating);
  std::thread{[state] { state->run(state); }}.detach();
  return {state.get(), [state](submission_queue*) { state->stop(); }};
}

} // namespace libpool

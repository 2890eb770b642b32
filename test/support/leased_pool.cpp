#include "support/leased_pool.hpp"

#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/exact_fair_queuing.hpp"
#include "libpool/policies/priority.hpp"
#include "support/dispatcher_world.hpp"
#include "support/numbered_message.hpp"
#include "support/witness_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace test {

namespace {

using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::lease_size;
using namespace std::chrono_literals;

constexpr std::size_t most_messages = 600;
constexpr std::size_t most_events = 300;

struct known_task : libpool::line_task<numbered_message> {
  int number = 0;
};

struct known_worker : libpool::worker {
  std::unique_ptr<numbered_lease> lease;
  known_task* task = nullptr;
  int running = 0;        // number of its message
  std::vector<int> begun; // messages of the lease, since the pool was told
  bool has_begun = false;
  bool pauses = false;
  bool has_left = false;
};

/// Which messages share a line: all, those of a flow, those of a worker, or
/// those of a priority.
enum class lines_of { all, flows, workers, priorities };

struct pool_kind {
  lines_of lines = lines_of::all;
  std::size_t placement =
    0; // index in the catalogue, used if workers have lines
};

libpool::composition policies(const pool_kind& how) {
  if (how.lines == lines_of::workers) {
    const auto& all = libpool::placements();
    libpool::recipe parts;
    parts.placement = {all[how.placement % all.size()].name};
    return libpool::compose(parts);
  }
  auto result = composed(libpool::assignment::lazy, false);
  if (how.lines == lines_of::flows)
    result.order = std::make_unique<libpool::exact_fair_queuing>();
  if (how.lines == lines_of::priorities)
    result.order = std::make_unique<libpool::priority>();
  return result;
}

bool has_keys(const pool_kind& how) {
  const auto& all = libpool::placements();
  return how.lines == lines_of::workers
         && all[how.placement % all.size()].asks == libpool::asked::key;
}

libpool::limits within_capacity(const libpool::waiting_bounds& within) {
  libpool::limits result;
  result.capacity = within.capacity;
  result.backoff = libpool::retry_backoff{20us, 2, 1ms, 4};
  return result;
}

/// Calls `f` with each message of the lease that its worker has not begun.
template <class F>
void for_each_left(const known_worker& of, F f) {
  if (of.lease != nullptr)
    of.lease->for_each_left([&](const numbered_message& each, instant) {
      f(each);
      return true;
    });
}

/// A pool with leases, and where each of its messages is.
class leased_pool {
public:
  leased_pool(const pool_kind& how, std::size_t workers,
              const libpool::waiting_bounds& within)
    : limits_(within),
      has_priorities_(how.lines == lines_of::priorities),
      has_keys_(has_keys(how)),
      workers_(workers),
      pool_(policies(how), within_capacity(within)) {
    book_.begin({}, within);
    for (auto& each : workers_) {
      each.number = libpool::worker_number{joined_++};
      each.weight = 1ms * joined_;
      pool_.joined(each, now_);
    }
  }

  leased_pool(const leased_pool&) = delete;
  leased_pool& operator=(const leased_pool&) = delete;

  ~leased_pool() {
    book_.close();
  }

  // -- events -----------------------------------------------------------------

  /// `time_left`: time until the deadline, if messages have deadlines of their
  /// own.
  void arrive(std::size_t flow, bool follows, duration time_left) {
    if (flows_.size() == most_messages)
      return;
    flows_.push_back(flow);
    came_.push_back(now_);
    deadlines_.push_back(now_ + time_left);
    numbered_message message{static_cast<int>(flows_.size()), follows};
    auto& task = new_task(message.number);
    auto is_full = book_.is_full(&task, *this);
    carry_out(); // what goes before this message
    if (is_full)
      return refused();
    if (auto* to = book_.goes_by_worker() ? pool_.line_for(task, now_)
                                          : nullptr) {
      unknown_.insert(message.number);
      lines_[message.number] = to->number;
      book_.line_up(*to, task, message, now_);
    } else if (auto* line = line_for(task)) {
      unknown_.insert(message.number);
      book_.wait_in(*line, message, now_, task.deadline);
    } else if (!enters(task)) {
      return refused();
    }
    decide();
  }

  void pass(duration time) {
    now_ += time;
  }

  /// The worker ends its message after that time, and goes on with its lease if
  /// it has one, unless the message may have to be tried again.
  void run(std::size_t worker, duration time, bool answers_with_error = false) {
    auto& by = workers_[worker % workers_.size()];
    if (by.task == nullptr)
      return;
    auto started = std::exchange(now_, now_ + time);
    service_.add(time);
    if (answers_with_error)
      return fail(by);
    if (by.task->is != libpool::task::condition::overdue)
      note_end(by.running);
    auto next = by.lease != nullptr ? take_number(*by.lease, started, now_) : 0;
    if (next != 0)
      begin(by, next);
    else
      end_task(by);
  }

  /// The worker ends, in the middle of its message or before it.
  void leave(std::size_t worker, bool begins) {
    auto& gone = workers_[worker % workers_.size()];
    if (gone.has_left || !has_another(gone))
      return;
    gone.has_left = true;
    end_lease(gone);
    pool_.left(gone, now_);
    if (auto* task = std::exchange(gone.task, nullptr)) {
      if (begins || gone.has_begun
          || task->is != libpool::task::condition::sent)
        crash(*task);
      else
        come_back(*task);
    }
    decide();
  }

  /// Removes the worker, which ends after its current message.
  void retire(std::size_t worker) {
    auto& gone = workers_[worker % workers_.size()];
    if (gone.has_left || !has_another(gone))
      return;
    gone.has_left = true;
    if (gone.lease != nullptr)
      book_.leases().ended(*gone.lease);
    pool_.retired(gone, now_);
    decide();
  }

  /// The worker gives back what it has not begun, and gets no tasks for some
  /// time, as a pool that is full.
  void rest(std::size_t worker, duration time) {
    auto& of = workers_[worker % workers_.size()];
    auto runs = of.task != nullptr
                && (of.has_begun
                    || of.task->is != libpool::task::condition::sent);
    if (of.has_left || runs)
      return;
    if (of.task != nullptr) {
      end_lease(of);
      ++returned_;
      pool_.unhandled(*std::exchange(of.task, nullptr), now_);
    }
    pool_.rested(of, now_ + time, now_);
    decide();
  }

  void pause(std::size_t worker) {
    auto& of = workers_[worker % workers_.size()];
    if (of.has_left)
      return;
    of.pauses = true;
    pool_.paused(of, now_);
    decide();
  }

  /// All workers that pause go on, and several may get tasks together.
  void resume() {
    for (auto& each : workers_)
      if (std::exchange(each.pauses, false) && !each.has_left)
        pool_.resumed(each, now_);
    decide();
  }

  /// As before an urgent message.
  void take_all_back() {
    book_.leases().take_back_all();
    for (const auto& each : workers_)
      for_each_left(each, [](auto&) {
        require(false, "all messages that were not begun are taken back");
      });
    decide();
  }

  /// Cancels the messages of the flow that no worker has begun.
  void cancel(std::size_t flow) {
    auto before = ended_.size();
    cancels_ = true;
    auto cancelled = book_.cancel(
      libpool::errc::cancelled, *this,
      [&](const numbered_line&, const numbered_line::message& each) {
        return flow_of(each.content.number) == flow;
      });
    for (auto& each : tasks_)
      if (waits(each) && flow_of(each.number) == flow) {
        pool_.cancelled(each, libpool::errc::cancelled, now_);
        ++cancelled;
      }
    cancels_ = false;
    carry_out();
    require(ended_.size() == before + cancelled,
            "each cancelled message is settled once");
    for (auto each : unknown_)
      require(flow_of(each) != flow, "all messages of the flow are cancelled");
    decide();
  }

  /// Pauses the flow, or ends its pause.
  void pause_flow(std::size_t flow, bool is_paused) {
    if (!pool_.may_throttle())
      return;
    begin_each_task();
    const std::string name = libpool::flow_key{flow}.name();
    if (is_paused) {
      paused_flows_.insert(flow);
      pool_.suspended(name, now_);
    } else {
      paused_flows_.erase(flow);
      pool_.reinstated(name, now_);
    }
    decide();
  }

  /// Limits the messages of a flow, and of all flows, that workers have.
  void limit(std::size_t flow, std::size_t most,
             std::optional<std::size_t> all) {
    if (!pool_.may_throttle())
      return;
    begin_each_task();
    within_ = {};
    within_.of_flows[libpool::flow_key{flow}.name()].most_running = most;
    within_.of_all.most_running = all;
    pool_.limited(within_, now_);
    decide();
  }

  void close() {
    is_closed_ = true;
    book_.close();
    decide();
  }

  void end() {
    paused_flows_.clear();
    within_ = {};
    if (pool_.may_throttle())
      pool_.limited(within_, now_);
    pool_.all_reinstated(now_);
    resume();
    for (auto& each : workers_)
      pool_.roomy(each, now_);
    decide();
    for (std::size_t i = 0; i < most_messages * workers_.size(); ++i) {
      run(i, 1us);
      if (pool_.delayed() > 0) {
        pass(1us);
        decide();
      }
    }
    require(ended_.size() == flows_.size(), "each message is handled");
  }

  // -- called by the book -----------------------------------------------------

  instant now() const {
    return now_;
  }

  bool has_workers() const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& each) { return !each.has_left; });
  }

  void tell_ends() {
    for (auto& each : workers_) {
      tell(each);
      if (each.task != nullptr)
        pool_.started(*each.task, now_);
    }
  }

  void submit(const numbered_line::message& waited) {
    pool_.accepted(task_of(book_.waiting().all(), waited), now_, waited.came);
  }

  known_task& task_of(const numbered_line&,
                      const numbered_line::message& waited) {
    auto& result = new_task(waited.content.number);
    took_first(waited.content.number);
    return result;
  }

  known_task& new_head(const numbered_line& of) {
    auto& result = tasks_.emplace_back();
    result.own_notes().flow = of.flow;
    result.own_notes().priority = of.priority;
    return result;
  }

  void become(libpool::task& head, const numbered_message& message) {
    took_first(message.number);
    static_cast<known_task&>(head).number = message.number;
    if (head.is == libpool::task::condition::waiting)
      return; // the message is about to be cancelled
    for (auto each : unknown_)
      require(flow_of(each) == flow_of(message.number) || is_leased(each)
                || pool_.has_waiting(line_key_of(each)),
              "each flow with waiting messages has a task to choose");
  }

private:
  /// Whether the dispatcher accepts the task.
  bool enters(known_task& task) {
    pool_.submitted(task, now_);
    return task.is != libpool::task::condition::unknown;
  }

  /// Takes leases back. From now on, the task of each worker stands for the
  /// message that the worker handles.
  void begin_each_task() {
    book_.leases().take_back_all();
    tell_ends();
  }

  /// The last message was refused.
  void refused() {
    carry_out();
    auto could_begin = !book_.goes_by_worker() && is_any_idle()
                       && may_go(flows_.back());
    flows_.pop_back();
    came_.pop_back();
    deadlines_.pop_back();
    require(
      waiting() >= limits_.capacity && !could_begin,
      "a message is refused only if the maximum number of messages waits");
    decide();
  }

  bool has_another(const known_worker& gone) const {
    return std::any_of(workers_.begin(), workers_.end(), [&](const auto& each) {
      return &each != &gone && !each.has_left;
    });
  }

  bool hangs(libpool::worker_number number) const {
    const auto& is = workers_[static_cast<std::size_t>(number)];
    return is.task != nullptr
           && is.task->is == libpool::task::condition::overdue;
  }

  bool is_any_idle() const {
    return std::any_of(workers_.begin(), workers_.end(), [](const auto& each) {
      return each.task == nullptr && !each.pauses && !each.has_left
             && !each.rest_hook.is_linked();
    });
  }

  /// Number of messages of the flow that workers have, without messages of
  /// leases that were not begun.
  std::size_t running(std::size_t flow) const {
    return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(), [&](const auto& each) {
        return each.task != nullptr && flow_of(each.running) == flow;
      }));
  }

  std::size_t running() const {
    return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [](const auto& each) { return each.task != nullptr; }));
  }

  /// Whether limits and pauses of flows let one more message of the flow go to
  /// a worker.
  bool may_go(std::size_t flow) const {
    return has_place(within_.of_all, running()) && has_place(flow);
  }

  static bool has_place(const libpool::throttle& limit, std::size_t running) {
    return !limit.most_running || running < *limit.most_running;
  }

  /// Whether the flow's own limit and pause let one more message go.
  bool has_place(std::size_t flow) const {
    auto limit = within_.of_flows.find(libpool::flow_key{flow}.name());
    return paused_flows_.count(flow) == 0
           && (limit == within_.of_flows.end()
               || has_place(limit->second, running(flow)));
  }

  /// Number of messages in leases that no worker has begun.
  std::size_t leased() const {
    std::size_t result = 0;
    for (const auto& each : workers_)
      result += each.lease != nullptr ? each.lease->left() : 0;
    return result;
  }

  /// Number of messages that were sent to no worker, or are leased and were not
  /// begun.
  std::size_t waiting() const {
    auto sent =
      std::count_if(workers_.begin(), workers_.end(), [](const auto& each) {
        return each.task != nullptr
               && each.task->is != libpool::task::condition::overdue;
      });
    return flows_.size() - ended_.size() - static_cast<std::size_t>(sent);
  }

  instant deadline_of(int number) const {
    auto i = static_cast<std::size_t>(number) - 1;
    return limits_.own_deadlines ? deadlines_[i]
           : limits_.deadline    ? came_[i] + *limits_.deadline
                                 : libpool::never;
  }

  /// Whether the task stands for a message, and was not sent to a worker.
  static bool waits(const known_task& task) {
    using condition = libpool::task::condition;
    return task.head_of == nullptr
           && (task.is == condition::waiting || task.is == condition::assigned);
  }

  bool is_leased(int number) const {
    auto result = false;
    for (const auto& each : workers_)
      for_each_left(each, [&](auto& left) { result |= left.number == number; });
    return result;
  }

  std::size_t flow_of(int number) const {
    return flows_[static_cast<std::size_t>(number) - 1];
  }

  numbered_line* line_for(const known_task& described) {
    if (book_.goes_by_worker() || !book_.has_to_wait())
      return nullptr;
    return book_.has_heads() ? book_.line_for(described)
                             : &book_.waiting().all();
  }

  std::uint64_t line_key_of(int number) const {
    return has_priorities_ ? flow_of(number)
                           : libpool::flow_key{flow_of(number)}.hash();
  }

  known_task& new_task(int number) {
    auto& result = tasks_.emplace_back();
    result.number = number;
    result.own_notes().flow = libpool::flow_key{flow_of(number)};
    if (has_keys_)
      result.own_notes().key = flow_of(number);
    if (has_priorities_)
      result.own_notes().priority = static_cast<std::int64_t>(flow_of(number));
    result.deadline = deadline_of(number);
    return result;
  }

  /// The messages that wait in the same line as that one, in their order.
  std::vector<int> line_of(int number) const {
    auto result = unknown_;
    for (const auto& each : workers_)
      for_each_left(each, [&](auto& left) { result.erase(left.number); });
    std::vector<int> line;
    for (auto each : result)
      if (is_in_line_with(each, number))
        line.push_back(each);
    return line;
  }

  bool is_in_line_with(int x, int y) const {
    if (book_.goes_by_worker())
      return lines_.at(x) == lines_.at(y);
    return !book_.has_heads() || flow_of(x) == flow_of(y);
  }

  /// Checks that all earlier messages with the same key have ended.
  void check_key(int number) const {
    for (auto each = 1; has_keys_ && each < number; ++each)
      require(flow_of(each) != flow_of(number) || ended_.count(each) > 0,
              "messages with one key are begun in the order of acceptance, one "
              "after the other");
  }

  /// Checks that no message with a higher priority waits anywhere.
  void check_priority(int number) const {
    auto passes = [&](int each) { return flow_of(each) > flow_of(number); };
    require(!has_priorities_
              || std::none_of(unknown_.begin(), unknown_.end(), passes),
            "no message begins while one of a higher priority waits in a line "
            "or a lease");
    pool_.for_each_open([&](const libpool::task& each) {
      require(each.is != libpool::task::condition::waiting
                || each.notes().not_before != libpool::never
                || each.notes().priority
                     <= static_cast<std::int64_t>(flow_of(number)),
              "no message begins while a task of a higher priority waits");
      return has_priorities_;
    });
  }

  void took_first(int number) {
    auto is_over = limits_.own_deadlines && deadline_of(number) <= now_;
    require(cancels_ || is_over || line_of(number).front() == number,
            "the first message of a line goes first");
    unknown_.erase(number);
  }

  void come_back(known_task& task) {
    ++returned_;
    pool_.returned(task, now_);
  }

  void crash(known_task& task) {
    if (task.is != libpool::task::condition::overdue)
      note_end(task.number);
    pool_.started(task, now_);
    pool_.finished(task, ending::crashed, now_);
  }

  void note_end(int number) {
    require(ended_.insert(number).second, "no message is handled twice");
  }

  /// The task of the worker stands for the next message of its lease.
  void begin(known_worker& by, int number) {
    require(unknown_.erase(number) == 1, "no message is begun twice");
    check_key(number);
    check_priority(number);
    require(now_ < deadline_of(number),
            "no message is begun after its deadline");
    require(paused_flows_.count(flow_of(number)) == 0,
            "no message of a paused flow is begun");
    require(now_ <= by.lease->since() + lease_size::longest,
            "a worker takes no further message after 50 microseconds");
    by.running = number;
    by.begun.push_back(number);
    by.has_begun = true;
    check();
  }

  /// The pool hears which messages of its lease the worker has ended.
  void tell(known_worker& of) {
    if (of.lease == nullptr || of.task == nullptr)
      return;
    auto [first, last] = book_.leases().tell_ends(*of.lease);
    require(static_cast<std::size_t>(last - first) == of.begun.size(),
            "the end of each message is told once");
    if (first == last)
      return;
    pool_.went_on(*of.task, first, last, of.lease->assigned_behind(*first));
    of.task->number = of.running;
    of.begun.clear();
  }

  void end_lease(known_worker& of) {
    if (of.lease == nullptr)
      return;
    book_.leases().ended(*of.lease);
    tell(of);
  }

  void end_task(known_worker& by) {
    end_lease(by);
    pool_.finished(*std::exchange(by.task, nullptr), ending::completed, now_);
    goes_on(by);
  }

  /// The message of the worker has failed, and is tried again if that is
  /// permitted.
  void fail(known_worker& by) {
    end_lease(by);
    auto& task = *by.task;
    task.repeatable = !has_keys_; // others of the key would overtake it
    pool_.started(task, now_);
    if (pool_.answered_with_error(task, {}, now_, now_)
        == libpool::retry_verdict::yes) {
      by.task = nullptr;
      ++returned_;
      return goes_on(by);
    }
    if (task.is != libpool::task::condition::overdue)
      note_end(by.running);
    end_task(by);
  }

  /// The worker, which has just ended a task, gets the next one.
  void goes_on(known_worker& by) {
    book_.ended_here(by);
    here_ = &by;
    decide();
    here_ = nullptr;
    book_.round_ended();
  }

  void decide() {
    book_.leases().take_back_overdue(now_);
    do
      dispatch();
    while (carry_out());
    check();
    check_workers();
    check_leases();
    check_idle();
    check_limits();
  }

  void dispatch() {
    auto before = leased();
    book_.dispatch(*this);
    auto takes_back_all = has_priorities_ || book_.goes_by_worker()
                          || limits_.deadline || limits_.own_deadlines;
    require(takes_back_all || leased() == before || !pool_.decisions().empty(),
            "messages of a lease are taken back for an idle worker only if the "
            "worker gets one of them");
  }

  void check_limits() const {
    auto late = limits_.own_deadlines
                  ? 100ns * static_cast<duration::rep>(flows_.size())
                  : 0ns;
    for (auto each : unknown_)
      require(now_ < libpool::later(deadline_of(each), late),
              "no message waits after its deadline");
    for (const auto& each : workers_)
      if (each.task != nullptr
          && each.task->is != libpool::task::condition::overdue)
        require(now_ < deadline_of(each.running),
                "no message runs after its deadline without being settled");
    require(waiting() <= limits_.capacity
              || waiting() - limits_.capacity <= returned_,
            "at most as many messages wait as may, but those that come back");
  }

  /// Whether there was any decision.
  bool carry_out() {
    auto all = std::exchange(pool_.decisions(), {});
    for (auto& each : all)
      carry_out(each);
    return !all.empty();
  }

  void carry_out(const libpool::decision& next) {
    using kind = libpool::decision::kind;
    if (next.is == kind::send)
      send(static_cast<known_task&>(*next.task),
           static_cast<known_worker&>(*next.worker));
    else if (next.is == kind::recall)
      pool_.started(*next.task, now_); // the worker runs it
    else if (next.is == kind::settle
             && next.why == libpool::errc::deadline_exceeded)
      expired(static_cast<known_task&>(*next.task));
    else if (next.is == kind::settle && next.why == libpool::errc::cancelled)
      note_end(static_cast<known_task&>(*next.task).number);
  }

  void expired(known_task& task) {
    require(deadline_of(task.number) <= now_,
            "a message is cancelled when its deadline has passed");
    note_end(task.number);
  }

  void send(known_task& task, known_worker& to) {
    require(to.task == nullptr, "a worker has one task at a time");
    require(now_ < deadline_of(task.number),
            "no message is begun after its deadline");
    check_key(task.number);
    check_priority(task.number);
    require(may_go(flow_of(task.number)),
            "no message of a flow that is paused or at its limit goes to a "
            "worker");
    to.task = &task;
    to.has_begun = false;
    to.running = task.number;
    if (book_.may_go_to(to))
      lease_behind(task, to);
    task.leads = false;
  }

  void lease_behind(known_task& sent, known_worker& to) {
    require(here_ == &to && !is_closed_,
            "a lease goes to a worker that has just ended a task");
    auto* line = book_.line_behind(sent);
    if (line == nullptr)
      return;
    require(book_.has_heads() || book_.goes_by_worker()
              || pool_.books().waiting == pool_.delayed(),
            "a leased message overtakes no task");
    lines_[sent.number] = to.number;
    auto waiting = line_of(sent.number);
    if (to.lease == nullptr)
      to.lease = std::make_unique<numbered_lease>(to);
    book_.fill(*to.lease, sent, *line, service_.get(), now_);
    pool_.leads(sent, to.lease->unknown());
    check_filled(to, waiting);
  }

  void check_filled(const known_worker& of,
                    const std::vector<int>& line) const {
    auto size = static_cast<duration::rep>(of.lease->size());
    auto next = line.begin();
    for_each_left(of, [&](const numbered_message& each) {
      require(each.number == *next++, "a lease has the first of its line");
      require(each.follows, "a message that cannot follow others ends a lease");
    });
    require(size <= 64, "a lease has at most 64 messages");
    require(size == 1 || service_.get() * size <= 50us,
            "a lease takes at most 50 microseconds, as far as is known");
    require(size == 1 || book_.goes_by_worker()
              || of.lease->size() <= (line.size() + 1) / 2,
            "a lease has at most half of the waiting messages");
  }

  /// Messages in lines and leases count as tasks of their workers, until their
  /// ends are told.
  void check_workers() const {
    std::map<libpool::worker_number, std::size_t> unknown;
    if (book_.goes_by_worker())
      for (auto each : unknown_)
        ++unknown[lines_.at(each)];
    for (const auto& each : workers_)
      require(each.in_flight
                == each.in_mailbox + each.deque.size() + unknown[each.number]
                     + (book_.goes_by_worker() ? each.begun.size() : 0),
              "each message is counted at its worker");
  }

  /// Each accepted message is in one place.
  void check() const {
    auto known = ended_;
    auto places = ended_.size() + unknown_.size();
    auto add = [&](int number) {
      ++places;
      known.insert(number);
    };
    for (const auto& each : workers_)
      if (each.task != nullptr
          && each.task->is != libpool::task::condition::overdue)
        add(each.running);
    pool_.for_each_open([&](const libpool::task& each) {
      const auto& task = static_cast<const known_task&>(each);
      if (task.head_of == nullptr && task.is < libpool::task::condition::sent)
        add(task.number);
      return true;
    });
    known.insert(unknown_.begin(), unknown_.end());
    require(places == flows_.size() && known.size() == flows_.size(),
            "each message is in exactly one place");
    auto books = pool_.books();
    require(books.accepted + book_.unknown() == flows_.size(),
            "each message is counted once");
    auto untold = std::size_t{0};
    for (const auto& each : workers_)
      untold += each.begun.size();
    require(books.completed + books.failed + books.cancelled + untold
              == ended_.size(),
            "each end is told, in a lease when the pool asks");
    check_parked();
  }

  /// Each waiting message of a flow that is held back is parked. The pool takes
  /// messages of leases whose ends were not told for messages that wait.
  void check_parked() const {
    std::size_t parked = 0;
    auto add = [&](std::size_t n, int number) {
      parked += has_place(flow_of(number)) ? 0 : n;
    };
    for (auto each : unknown_)
      add(1, each);
    for (const auto& each : workers_)
      if (!each.begun.empty() && each.lease->from != nullptr)
        add(each.begun.size(), each.running);
    for (const auto& each : tasks_)
      if (waits(each))
        add(1, each.number);
    require(pool_.parked(now_) + book_.parked(now_) == parked,
            "each waiting message of a flow that is held back is parked");
  }

  void check_leases() const {
    for (const auto& each : workers_)
      for_each_left(each, [&](const numbered_message& left) {
        require(each.task != nullptr && !each.has_left && !is_closed_,
                "leases are of workers that run a task, until the end");
        require(each.lease->since() + 1ms >= now_,
                "no lease is older than a millisecond");
        require(unknown_.count(left.number) > 0, "no message is begun twice");
      });
  }

  void check_idle() const {
    for (const auto& each : workers_)
      if (book_.goes_by_worker() && each.task == nullptr && !each.pauses)
        require(each.in_flight == 0,
                "no message waits for a worker that is idle");
    for (auto each : unknown_)
      require(!book_.goes_by_worker() || !hangs(lines_.at(each)),
              "no message waits for a worker whose message has passed its "
              "deadline");
    if (is_any_idle() && !book_.goes_by_worker())
      check_all_held_back();
  }

  void check_all_held_back() const {
    for (auto each : unknown_)
      require(!may_go(flow_of(each)),
              "no message that may go waits, in a line or in a lease, while a "
              "worker is idle");
    pool_.for_each_open([&](const libpool::task& each) {
      const auto& task = static_cast<const known_task&>(each);
      require(!waits(task) || task.notes().not_before != libpool::never
                || !may_go(flow_of(task.number)),
              "no task that may go waits while a worker is idle");
      return true;
    });
  }

  instant now_{1s};
  const libpool::waiting_bounds limits_;
  const bool has_priorities_;
  const bool has_keys_;
  std::deque<known_task> tasks_;
  std::deque<known_worker> workers_;
  libpool::dispatcher pool_; // destroyed before what is linked into it
  numbered_book book_{pool_};
  libpool::slow_service service_;
  std::uint64_t joined_ = 0;
  const known_worker* here_ = nullptr;
  bool is_closed_ = false;
  libpool::throttles within_;
  std::set<std::size_t> paused_flows_;
  bool cancels_ = false; // messages are taken out of the middle of lines
  std::vector<std::size_t> flows_; // of the messages, in their order; or their
                                   // keys or priorities
  std::vector<instant> came_;
  std::vector<instant> deadlines_;
  std::set<int> unknown_; // messages in lines and leases
  std::map<int, libpool::worker_number>
    lines_; // worker of each message, if workers have lines
  std::set<int> ended_;
  std::size_t returned_ = 0; // messages that were sent, and were not begun
};

libpool::waiting_bounds limits_of(unsigned choice) {
  libpool::waiting_bounds result;
  if (choice % 4 == 1)
    result.capacity = choice;
  if (choice % 3 == 1)
    result.deadline = std::chrono::microseconds{choice * choice * 4};
  result.own_deadlines = choice % 5 == 2;
  return result;
}

constexpr auto flows = 3U;

/// Pauses a flow, ends its pause, or limits it.
void hold_back(leased_pool& in, unsigned which, unsigned how) {
  if (how % 4 < 2)
    return in.pause_flow(which % flows, how % 4 == 0);
  auto all = how % 4 == 2 ? std::optional<std::size_t>{}
                          : std::optional<std::size_t>{how / 4 % 3};
  in.limit(which % flows, which / flows % 3, all);
}

/// Three bytes are an event.
void tell(leased_pool& to, unsigned what, unsigned which, unsigned how) {
  auto time_left = std::chrono::microseconds{which * how};
  switch (what % 16) {
    default: // mostly arrivals, many at once
      for (auto i = 0U; i < 1 + how % 8; ++i)
        to.arrive((which + (which >= 128 ? i : 0)) % flows, how % 32 != 31,
                  time_left);
      return;
    case 6:
      if (how % 4 == 0)
        return to.cancel(which % flows);
      if (how % 4 == 1)
        return hold_back(to, which, how / 4);
      return to.arrive(which % flows, true, time_left);
    case 7:
    case 8:
    case 9:
    case 10:
      return to.run(which, std::chrono::nanoseconds{1U << how % 20},
                    what >= 200);
    case 11:
      return to.pass(std::chrono::microseconds{how * how});
    case 12:
      if (how % 4 == 1)
        return to.rest(which, std::chrono::microseconds{how});
      return how % 4 == 0 ? to.resume() : to.pause(which);
    case 13:
      if (how % 4 == 1)
        return to.retire(which);
      return how % 4 == 0 ? to.leave(which, how % 8 == 0) : to.run(which, 1us);
    case 14:
      return how % 2 == 0 ? to.take_all_back() : to.tell_ends();
    case 15:
      return how % 16 == 0 ? to.close() : to.run(which, 2ms);
  }
}

} // namespace

std::string broken_lease_law_in(const std::vector<std::uint8_t>& bytes) {
  constexpr std::size_t event_bytes = 3;
  if (bytes.size() < 2)
    return {};
  try {
    pool_kind how;
    how.lines = lines_of{bytes[1] % 4};
    how.placement = bytes[1] / 4;
    auto within = limits_of(bytes[0] / 10);
    within.own_deadlines &= how.lines == lines_of::all
                            || how.lines == lines_of::workers;
    leased_pool pool{how, 1U + bytes[0] / 2 % 5, within};
    auto end = std::min(bytes.size(), most_events * event_bytes);
    for (std::size_t i = 2; i + event_bytes <= end; i += event_bytes)
      tell(pool, bytes[i], bytes[i + 1], bytes[i + 2]);
    pool.end();
  } catch (const broken_law& law) {
    return law.what();
  }
  return {};
}

} // namespace test

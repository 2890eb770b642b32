/// Laws of all pools, for every composition of features.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "nested_laws.hpp"

#include <algorithm>
#include <array>

namespace products {

namespace {

class judge {
public:
  explicit judge(world& w) : world_(w), how_(w.how()) {
    // nop
  }

  /// No deadline is missed, although workers skip and keep promises back.
  void look_while_workers_wait() {
    if (how_.shape == shape::circle)
      return;
    for_each_request([&](const message_record& message, std::size_t number) {
      if (message.is_work && has_deadline_in_front(message)
          && answers(message) == 0)
        violated("a request outlives all deadlines", number);
    });
  }

  void look_when_settled() {
    if (world_.is_endless())
      violated("the pool never comes to rest");
    const auto& seen = world_.seen();
    if (seen.window_was_exceeded)
      violated("workers have more messages than their windows");
    if (seen.size_was_exceeded)
      violated("a pool has more than most_workers");
    if (seen.counters_fell)
      violated("a counter of a pool falls from one look to the next");
    if (seen.most_alarms > world_.most_alarms())
      violated("the clock keeps " + std::to_string(seen.most_alarms)
               + " entries");
    for_each_request([&](const message_record& message, std::size_t number) {
      judge_answers(message, number);
      judge_success(message, number);
      judge_crash(message, number);
      if (auto how = nested_violation(world_, message); !how.empty())
        violated(how, number);
    });
    for (std::size_t i = 0; i < world_.told().messages.size(); ++i)
      judge_runs(world_.told().messages[i], i);
    for (const auto& each : world_.pools())
      judge_books(*each);
    for (const auto& each : world_.lines())
      judge_line(libpool::pipeline::stats(each));
    if (how_.is_plain_asking() && !world_.asks_own_pools())
      violated("no worker asks its own pool");
    judge_queue();
    judge_keys();
    judge_innocents();
    if (!how_.loses_workers() && !world_.all_pools_serve())
      violated("a pool has lost its workers");
  }

  void look_at_end() {
    is_over_ = true;
    if (!world_.has_told_idleness())
      violated("a request to wait for an idle pool has no answer, or several");
    for_each_request([&](const message_record& message, std::size_t number) {
      judge_answers(message, number);
    });
    for (const auto& each : world_.pools())
      if (each->tells)
        for (auto [number, times] : each->settled)
          if (times != 1)
            violated("a task is settled " + std::to_string(times) + " times");
  }

  void look_at_leftovers() {
    for (auto& each : world_.left_over())
      violated(std::move(each));
  }

  std::vector<std::string> take() {
    return std::move(violations_);
  }

private:
  template <class F>
  void for_each_request(F f) {
    const auto& all = world_.told().messages;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].is_request && world_.sender_lives(all[i]))
        f(all[i], i);
  }

  void violated(std::string how) {
    if (violations_.size() < 12)
      violations_.push_back(std::move(how));
  }

  void violated(const std::string& how, std::size_t number) {
    violated(how + ": message " + std::to_string(number) + ", "
             + describe(world_.told().messages[number]));
  }

  std::string describe(const message_record& message) const {
    constexpr std::array names{"answers",       "fails",         "throws",
                               "quits",         "quits failing", "skips",
                               "never looks",   "awaits",        "promises",
                               "drops",         "delegates",     "gets stuck",
                               "looks at task", "asks own pool"};
    auto result =
      message.is_work
        ? std::string{names.at(static_cast<std::size_t>(message.does))}
        : std::string{"no work"};
    if (message.asker)
      result += ", of worker " + std::to_string(*message.asker);
    result += ", began " + std::to_string(message.all_runs()) + " times";
    if (message.was_skipped)
      result += ", was skipped";
    if (message.promise_is_lost)
      result += ", promise lost";
    auto answer = world_.answer_to(message);
    if (answer.came())
      result += ", answer: "
                + (answer.error() ? world_.text(answer.error())
                                  : to_string(answer.content));
    return result;
  }

  std::size_t answers(const message_record& message) const {
    return world_.answer_to(message).count;
  }

  /// Whether some pool sees each answer, and that there will be none.
  bool is_watched(const message_record& message) const {
    if (message.asker)
      return world_.home_of(*message.asker).watches;
    return (how_.intercepts_replies || how_.gather != gather::none)
           && how_.shape != shape::circle
           && std::all_of(
             message.runs.begin(), message.runs.end(),
             [this](const auto& run) { return has_watcher(run.first.second); });
  }

  /// Whether the pool of the worker, or a pool above it, watches. A pool whose
  /// inner pools have ended can have workers of its own.
  bool has_watcher(std::size_t worker) const {
    const auto& home = world_.home_of(worker);
    const auto& pools = world_.pools();
    return home.watches
           || std::any_of(pools.begin(), pools.end(), [&](const auto& each) {
                return each->depth < home.depth && each->watches;
              });
  }

  /// Whether messages have a deadline from the beginning, and not only in inner
  /// pools.
  bool has_deadline_in_front(const message_record& message) const {
    if (message.asker)
      return how_.has_deadline && world_.home_of(*message.asker).has_deadline;
    const auto& pools = world_.pools();
    return how_.has_deadline
           && std::all_of(pools.begin(), pools.end(), [](const auto& each) {
                return each->depth > 0 || each->has_deadline;
              });
  }

  void judge_answers(const message_record& message, std::size_t number) {
    auto count = answers(message);
    auto may_be_told_twice = !is_watched(message) && !how_.has_lines()
                             && !how_.is_durable
                             && world_.answer_to(message).error();
    if (count == 0 && !may_have_no_answer(message))
      violated("a request is not answered", number);
    if (count > (may_be_told_twice ? 2U : 1U))
      violated("a request is answered " + std::to_string(count) + " times",
               number);
  }

  /// Whether a worker has begun the message, or one of its key if messages of a
  /// key share runs. A request of a worker to its own pool runs alone.
  bool has_run(const message_record& message, std::size_t number) const {
    const auto& begun = world_.told().begun;
    return message.all_runs() > 0
           || (shares_run(message)
               && std::any_of(begun.begin(), begun.end(), [&](int each) {
                    return is_of_same_key(each, number);
                  }));
  }

  bool shares_run(const message_record& message) const {
    return how_.joins && !message.asker;
  }

  static bool is_of_same_key(int x, std::size_t y) {
    return x % number_of_keys == static_cast<int>(y) % number_of_keys;
  }

  /// Whether the number may be the result of a run for the message.
  bool may_be_result(int result, const message_record& message,
                     std::size_t number) const {
    return shares_run(message) ? is_of_same_key(result, number)
                               : result == static_cast<int>(number);
  }

  /// A message is handled by some worker, as long as that does not fail.
  void judge_success(const message_record& message, std::size_t number) {
    auto answer = world_.answer_to(message);
    if (!answer.came() || answer.error() || !message.is_work)
      return;
    if (!has_run(message, number))
      violated("a request succeeds that no worker has begun", number);
    if (answer.content.match_elements<int>()
        && !may_be_result(answer.get<int>(), message, number))
      violated("a request gets the answer to another one", number);
    if (how_.joins)
      return; // the handler of another message may have answered
    if (message.does == handling::answers_with_error
        || message.does == handling::drops)
      violated("a request succeeds whose handlers fail", number);
  }

  /// A crash is claimed where a worker has crashed, or has ended while it owed
  /// an answer; and where a handler has thrown.
  void judge_crash(const message_record& message, std::size_t number) {
    auto error = world_.answer_to(message).error();
    auto splits = how_.shape == shape::split_join_in_managed; // and names some
    if (libpool::is_crash(error)) {
      if (!how_.may_crash() && !pools_may_give_up() && !nodes_may_give_up())
        violated("a request counts as crashed where nothing crashes", number);
      if (message.is_work && !has_run(message, number) && !message.was_skipped
          && !splits && !nodes_may_give_up() && !(how_.joins && how_.skip()))
        violated("a request counts as crashed that no worker has begun",
                 number);
      return;
    }
    auto has_thrown = message.does == handling::throws && message.all_runs() > 0
                      && error && !how_.joins;
    if (has_thrown && how_.gather == gather::none && !how_.has_lines()
        && !splits && !how_.has_deadline && !how_.retries && how_.events.empty()
        && error != libpool::errc::front_lost)
      violated("a request whose handler has thrown does not count as crashed",
               number);
  }

  /// Whether inner pools may lose their workers while messages wait for another
  /// attempt. A pool that gives up a message that has begun counts as crashed.
  bool pools_may_give_up() const {
    return how_.more_retries > 0 && how_.takes_workers
           && world_.depths() > 1 + (how_.is_durable ? 1U : 0U);
  }

  /// Whether nodes may lose their workers, and cannot tell whether a message
  /// has begun: one of several tasks has been opened. It counts as crashed.
  bool nodes_may_give_up() const {
    return how_.shape == shape::distributed && how_.gather != gather::none
           && how_.loses_workers();
  }

  /// A worker drops its promise where nothing stands between, or never looks.
  bool may_have_no_answer(const message_record& message) const {
    return (message.promise_is_lost && !is_watched(message))
           || (!is_over_ && (how_.may_wait_for_ever() || work_may_stop()));
  }

  /// An item that is never answered holds its stage, or its place in a durable
  /// queue, for ever, and nobody can give workers to a stage that has lost its
  /// own and waits. A handler waits for ever for an answer that was lost.
  bool work_may_stop() const {
    if (handlers_may_wait(world_))
      return true;
    const auto& all = world_.told().messages;
    const auto& pools = world_.pools();
    auto waits = [](const auto& each) {
      return each->is_in_line && each->waits_when_empty
             && each->address == nullptr;
    };
    if (how_.loses_workers() && std::any_of(pools.begin(), pools.end(), waits))
      return true;
    return std::any_of(all.begin(), all.end(),
                       [](const auto& each) { return each.promise_is_lost; })
           && std::any_of(pools.begin(), pools.end(), [&](const auto& each) {
                return (each->is_in_line || how_.is_durable) && !each->watches;
              });
  }

  unsigned most_runs() const {
    if (how_.shape == shape::split_join_in_managed
        || how_.gather == gather::broadcast_all)
      return 1000; // but each worker once
    if (how_.gather == gather::quorum)
      return 3;
    return how_.gather == gather::first_success || how_.gather == gather::hedged
             ? 2
             : 1;
  }

  void judge_runs(const message_record& message, std::size_t number) {
    auto most = most_runs();
    for (auto i = world_.depths(); how_.retries && i > 0; --i)
      most *= 2 + how_.more_retries;
    std::map<int, unsigned> by_part;
    for (auto [where, times] : message.runs) {
      by_part[where.first] += times;
      if (times > 1 && !how_.retries)
        violated("a worker handles a message twice", number);
    }
    for (auto [part, times] : by_part)
      if (times > most)
        violated("a message is handled too often", number);
  }

  void judge_books(const pool_record& record) {
    auto pool = caf::actor_cast<caf::actor>(record.address);
    if (!pool)
      return;
    auto stats = libpool::actor_pool::stats(pool);
    const auto& books = stats.tasks;
    auto depth = " of a pool at depth " + std::to_string(record.depth);
    if (!books.balances())
      violated("the books do not balance" + depth);
    if (record.wrong_times > 0)
      violated(std::to_string(record.wrong_times)
               + " tasks settled before they were accepted or had begun"
               + depth);
    if (how_.is_plain_flood() && stats.leases == 0)
      violated("a flood of short tasks was not leased" + depth);
    if (books.open() != 0 && !how_.may_wait_for_ever() && !work_may_stop())
      violated(std::to_string(books.open()) + " tasks are open" + depth);
    judge_facts(stats, depth);
    auto is_staffed = stats.workers == record.wanted && stats.stand_ins == 0;
    if (how_.has_known_size() && !is_staffed)
      violated(std::to_string(stats.workers) + " workers serve, "
               + std::to_string(record.wanted) + " are wanted" + depth);
    const auto& left = stats.departed;
    if (how_.keeps_workers() && left.removed + left.crashed + left.ended > 0)
      violated("workers have left that nothing took away" + depth);
    if (record.is_recorded && stats.is_timed)
      judge_recording(libpool::actor_pool::recorded(pool), stats, depth);
    auto said = [&](libpool::outcome how) {
      auto i = record.ends.find(how);
      return i == record.ends.end() ? 0 : i->second;
    };
    // After the first look, the pool may have dropped what waited for too long.
    const auto told = libpool::actor_pool::summary(pool).tasks;
    if (record.tells
        && (said(libpool::outcome::completed) != told.completed
            || said(libpool::outcome::failed) != told.failed
            || said(libpool::outcome::cancelled) != told.cancelled
            || said(libpool::outcome::refused) != told.refused))
      violated("on_settled and the books differ" + depth);
    auto gathers = how_.gather != gather::none; // and answers for others
    // An inner pool completes each attempt that is answered with an error.
    auto begun = begun_messages(gathers || how_.more_retries > 0)
                 + (gathers ? stats.error_answers : 0);
    // CAF answers for workers that end before they look at their parts.
    auto drops = how_.shape == shape::split_join_in_managed
                 && how_.loses_workers();
    // A node answers with the errors of its pool.
    auto has_nodes = how_.shape == shape::distributed;
    if (how_.joins)
      begun = world_.told().messages.size() + world_.told().strange_runs;
    auto joins_again = how_.joins && how_.more_retries > 0;
    if (books.completed > begun && !joins_again && !how_.has_lines()
        && !loses_items() && !drops && !has_nodes && !world_.is_client(record))
      violated(std::to_string(books.completed) + " completed, "
               + std::to_string(begun) + " begun" + depth);
  }

  void judge_facts(const libpool::pool_stats& stats, const std::string& depth) {
    const auto& books = stats.tasks;
    if (stats.retries_refused > (how_.has_budget ? stats.error_answers : 0))
      violated("retries are refused without a budget, or without an error"
               + depth);
    std::uint64_t served = 0;
    for (const auto& flow : stats.flows)
      served += flow.served;
    if (served > books.completed + books.failed + books.cancelled)
      violated("flows have more served tasks than were settled" + depth);
    if (stats.refusals.sum() != books.refused)
      violated("refusals by reason are not all refusals" + depth);
    if (stats.errors.sum() != books.failed + books.cancelled)
      violated("failures by reason are not all failures" + depth);
    const auto waited = stats.total.waits.count();
    const auto ended_runs = stats.total.services.count();
    if (waited < ended_runs || waited > ended_runs + stats.joined)
      violated("a handler has ended that did not wait" + depth);
    const auto& total = stats.total;
    constexpr libpool::duration none{0};
    constexpr libpool::duration most = std::chrono::hours{24}; // of each
    auto ended = static_cast<libpool::duration::rep>(total.waits.count());
    if (total.busy < none || total.waited < none || total.busy > ended * most
        || total.waited > ended * most)
      violated("times of handlers are nonsense" + depth);
    auto waits = books.waiting + books.assigned;
    if (stats.is_timed
        && (waits > 0) != (stats.oldest_waiting < libpool::never))
      violated("the oldest waiting task is not told" + depth);
    if (books.open() == 0 && stats.overdue == 0
        && (stats.busy > 0 || stats.longest_running < libpool::never))
      violated("workers are busy with nothing" + depth);
  }

  /// Each handler that has ended is a run.
  void judge_recording(const libpool::recording& recorded,
                       const libpool::pool_stats& stats,
                       const std::string& depth) {
    auto runs = std::count_if(recorded.runs.begin(), recorded.runs.end(),
                              [](const auto& run) { return run.worker; });
    if (static_cast<std::uint64_t>(runs) != stats.total.services.count())
      violated(std::to_string(runs) + " runs are recorded of "
               + std::to_string(stats.total.services.count()) + depth);
    auto open = stats.tasks.open() + stats.overdue;
    if (recorded.open.size() != open)
      violated(std::to_string(recorded.open.size())
               + " open tasks are recorded of " + std::to_string(open) + depth);
    auto sooner = [](const auto& x, const auto& y) {
      return x.ended < y.ended;
    };
    if (!std::is_sorted(recorded.runs.begin(), recorded.runs.end(), sooner))
      violated("runs are not recorded in the order of their ends" + depth);
    std::set<std::uint64_t> completed;
    for (const auto& each : recorded.runs)
      if (each.how == libpool::outcome::completed
          && !completed.insert(each.task).second)
        violated("two runs completed task " + std::to_string(each.task)
                 + depth);
  }

  /// How many messages workers have begun, or how many parts of them.
  std::size_t begun_messages(bool parts) const {
    std::size_t result = world_.told().strange_runs;
    for (const auto& each : world_.told().messages)
      if (parts)
        result += each.all_runs();
      else if (each.all_runs() > 0)
        ++result;
    return result;
  }

  /// The accepted items of a pipeline fail with it.
  bool loses_items() const {
    return how_.has_lines() && how_.loses_workers();
  }

  void judge_line(const libpool::pipeline_stats& books) {
    if ((books.in_line != 0 || books.waiting != 0) && !how_.may_wait_for_ever()
        && !work_may_stop())
      violated("items are left in a pipeline");
    if (how_.shape == shape::shared_pipeline && !how_.ends_workers
        && books.refused > 0)
      violated("a pipeline refuses messages of pools");
    if (books.accepted
        != books.completed + books.failed + books.cancelled + books.in_line)
      violated("the books of a pipeline do not balance");
  }

  /// Each submission that the durable queue has stored is settled once. A
  /// message is lost with a front only if the front had it, and the end of a
  /// front is not a result.
  void judge_queue() {
    const auto& queue = world_.queue();
    for (const auto& each : queue.violations())
      violated(each);
    for (const auto& [number, result] : queue.queue.results) {
      auto why = world_.error_in(result);
      auto has_failed = libpool::is_own(why) && why != libpool::errc::cancelled
                        && why != libpool::errc::client_gone;
      if (has_failed != (queue.queue.failures.count(number) > 0))
        violated("a submission counts as failed or not against its result");
    }
    if (queue.open() != 0 && !how_.may_wait_for_ever() && !work_may_stop())
      violated(std::to_string(queue.open()) + " submissions have no result");
    auto client_is_open =
      how_.is_durable && how_.shape == shape::plain && world_.front()
      && lives(world_.front().address())
      && libpool::actor_pool::stats(world_.front()).tasks.refused == 0;
    for_each_request([&](const message_record& message, std::size_t number) {
      auto why = world_.answer_to(message).error();
      if (queue.lost() == 0 && why == libpool::errc::front_lost)
        violated("a request is lost with a front that was not lost", number);
      auto is_nested = message.asker || !message.asked.empty();
      if (client_is_open && why == libpool::errc::pool_closed && !is_nested)
        violated("a request fails with the pool of a front", number);
    });
  }

  /// Whether messages of a key begin in the order in which they came.
  bool keeps_order_of_keys() const {
    const auto& pools = world_.pools();
    auto is_in_order = [&](const auto& each) {
      return each->policy
             == (each->depth == 0 ? "consistent_hash" : "shared_queue");
    };
    auto is_plain = how_.shape == shape::plain
                    || (how_.shape == shape::distributed
                        && how_.more_retries == 0
                        && world_.slots_of_nodes() == 1);
    return is_plain && std::all_of(pools.begin(), pools.end(), is_in_order)
           && how_.gather == gather::none && !how_.skip() && !how_.is_urgent
           && !how_.is_durable && !(how_.is_batched && how_.chooses_workers());
  }

  void judge_keys() {
    if (!keeps_order_of_keys())
      return;
    // A flow that is held back lets others of its key pass, as batches do.
    const auto by_flow = how_.holds_flows || how_.is_batched;
    const auto lines = number_of_keys * (by_flow ? number_of_flows : 1);
    std::map<int, int> last;
    for (auto number : world_.told().begun) {
      auto& before = last.emplace(number % lines, -1).first->second;
      if (world_.told().messages[static_cast<std::size_t>(number)].asker)
        continue;
      if (number < before)
        violated("a message begins after a later one of its key",
                 static_cast<std::size_t>(number));
      before = std::max(before, number);
    }
  }

  /// A message that no worker has looked at does not fail, and is not lost,
  /// while there are workers.
  void judge_innocents() {
    if (world_.is_excused() || how_.has_deadline || how_.has_capacity
        || how_.gather != gather::none || how_.is_restricted
        || how_.shape == shape::circle || how_.may_wait_for_ever()
        || how_.shape == shape::split_join_in_managed
        || how_.kind == worker_kind::deaf_companion || work_may_stop()
        || loses_items() || !world_.front_serves())
      return;
    const auto& all = world_.told().messages;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].is_work && world_.sender_lives(all[i]))
        judge_innocent(all[i], i);
  }

  void judge_innocent(const message_record& message, std::size_t number) {
    auto has_begun = has_run(message, number);
    // A durable queue makes requests of all messages.
    auto may_bounce = how_.is_durable && message.was_skipped;
    if (!has_begun && !message.is_request && !may_bounce)
      violated("a message is lost", number);
    if (!has_begun && message.is_request && !message.was_skipped
        && !may_fail_early(world_, message))
      violated("a request fails that no worker has looked at", number);
    // With `retry_on` alone, a request is tried again after errors only.
    const auto& pools = world_.pools();
    auto retries =
      !how_.is_durable
      && std::any_of(pools.begin(), pools.end(),
                     [](const auto& each) { return each->retries; });
    if (message.asker)
      retries = world_.home_of(*message.asker).retries;
    else if (how_.shape == shape::distributed) // the pools of nodes may end
      retries = world_.pools().front()->retries;
    if (retries && has_begun && !how_.joins && !may_fail_early(world_, message)
        && message.does == handling::throws && message.is_request
        && !world_.told().throws_again && world_.answer_to(message).error())
      violated("a request that crashes its worker once is not tried again",
               number);
  }

  world& world_;
  const scenario& how_;
  bool is_over_ = false;
  std::vector<std::string> violations_;
};

/// After the system has ended.
void judge_memory(std::vector<std::string>& violations) {
  if (auto n = counted<cargo>::live.load(); n != 0)
    violations.push_back("messages left: " + std::to_string(n));
  if (auto n = live_workers(); n != 0)
    violations.push_back("workers left: " + std::to_string(n));
}

} // namespace

std::vector<std::string> violations_of(const combination& all,
                                       std::uint64_t seed) {
  std::vector<std::string> result;
  {
    world w{composed(all, seed), seed};
    judge by{w};
    w.live();
    if (w.how().ends_with_system) {
      w.abandon();
    } else {
      w.wait();
      by.look_while_workers_wait();
      w.settle();
      by.look_when_settled();
      w.end();
      by.look_at_end();
      w.abandon();
      by.look_at_leftovers();
    }
    result = by.take();
  }
  judge_memory(result);
  return result;
}

} // namespace products

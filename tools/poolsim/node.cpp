#include "node.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace poolsim {

namespace {

/// Programs of different nodes never have the same number.
libpool::incarnation incarnation_of(std::size_t node, std::uint64_t program) {
  return libpool::incarnation{(std::uint64_t{node} << 32U) + program};
}

duration run_time_of(const scenario& scenario, const content& task,
                     std::size_t node) {
  const auto& work = *task.from.work;
  return work.draws ? run_time(scenario, work, task.from.service, node)
                    : run_time(scenario, work, node);
}

} // namespace

node::node(const scenario& scenario, std::size_t id, node_watcher& watcher)
  : scenario_(scenario),
    group_(scenario.nodes->groups[scenario.nodes->group_of[id]]),
    id_(id),
    watcher_(watcher),
    troubles_(group_.losses, scenario.seed, id, scenario.workers[id].join),
    up_(group_.bandwidth),
    down_(group_.bandwidth) {
  // nop
}

// -- the pool's end of the link -----------------------------------------------

void node::send(libpool::connection_number number, parcel_to_node parcel,
                duration now) {
  if (number != connection_) {
    ++batches_;
    return;
  }
  if (std::holds_alternative<libpool::welcome>(parcel.batch.content))
    of_pool_.enter(parcel.batch.session);
  send_new(of_pool_, down_, std::move(parcel), now);
}

std::optional<parcel_to_pool> node::take_batch(duration now) {
  return take(up_, of_pool_, down_, now);
}

/// Returns the latency of the next message.
duration node::latency() {
  return group_.latency.choose(
    bits_for(scenario_.seed, draw_use::latency, id_, 0, latencies_++));
}

// -- time ---------------------------------------------------------------------

void node::act(duration now) {
  suffer(now);
  if (!has_joined_ && scenario_.workers[id_].join <= now) {
    has_joined_ = true;
    start_program(now);
  }
  if (!is_awake())
    return;
  if (std::exchange(is_to_connect_, false))
    connect(now);
  notice_link(now);
  read_batches(now);
  if (machine_->next_tick() <= instant_of(now))
    machine_->ticked(instant_of(now));
  auto leaves = scenario_.workers[id_].leave;
  if (!is_leaving_ && leaves && *leaves <= now) {
    is_leaving_ = true;
    machine_->leave();
  }
  end_runs(now);
  begin_runs(now);
  if (machine_->has_to_flush())
    machine_->flush(instant_of(now));
  write_batches(now);
  leave_if_done();
}

duration node::next() const {
  auto result = std::min(troubles_.next(), next_of_program());
  if (!has_joined_)
    result = std::min(result, scenario_.workers[id_].join);
  return std::min(result, up_.next());
}

duration node::next_of_program() const {
  if (!is_awake())
    return duration::max();
  auto result = std::min(machine_->next_tick().time_since_epoch(),
                         down_.next());
  if (!ends_.empty())
    result = std::min(result, ends_.begin()->first);
  if (!is_leaving_)
    result = std::min(result,
                      scenario_.workers[id_].leave.value_or(duration::max()));
  return result;
}

// -- troubles -----------------------------------------------------------------

void node::suffer(duration now) {
  while (auto what = troubles_.take(now))
    change(*what, now);
}

void node::change(const node_troubles::change& what, duration now) {
  switch (what.is) {
    case node_loss::kind::cut:
      cuts_ = what.begins ? cuts_ + 1 : cuts_ - 1;
      if (what.begins)
        cut_link();
      return;
    case node_loss::kind::stands:
      if (what.begins && stands_++ == 0)
        stands_since_ = now;
      else if (!what.begins && --stands_ == 0)
        wake_up(now);
      return;
    case node_loss::kind::killed:
      if (what.begins && kills_++ == 0)
        die(now);
      else if (!what.begins && --kills_ == 0)
        start_program(now);
      return;
  }
}

/// What is in flight is lost.
void node::cut_link() {
  up_.clear();
  down_.clear();
}

void node::notice_link(duration now) {
  auto is_cut = cuts_ > 0;
  if (std::exchange(knows_cut_, is_cut) == is_cut)
    return;
  if (is_cut)
    machine_->went_down();
  else
    machine_->came_up(instant_of(now));
  write_batches(now);
}

/// What ran goes on where it stood.
void node::wake_up(duration now) {
  ends_.clear();
  for (auto& [task, run] : runs_) {
    run.ends = after(run.ends, now - stands_since_);
    ends_.emplace(run.ends, task);
  }
}

// -- the program --------------------------------------------------------------

void node::start_program(duration now) {
  if (!has_joined_ || kills_ > 0 || is_leaving_)
    return;
  const auto& terms = scenario_.nodes->terms;
  libpool::node_offer offer;
  offer.slots = scenario_.workers[id_].seats;
  offer.portion = terms.portion;
  offer.credit = terms.credit;
  machine_.emplace(incarnation_of(id_, ++programs_), offer);
  stands_since_ = now;
  is_to_connect_ = true;
}

void node::connect(duration now) {
  connection_ = watcher_.connected(id_);
  is_open_ = true;
  knows_cut_ = false;
  own_ = {};
  of_pool_ = {};
  machine_->came_up(instant_of(now));
  write_batches(now);
}

/// Nothing that it has sent or was sent arrives any more.
void node::die(duration now) {
  for (const auto& entry : runs_)
    note(entry.second, now, task_run::ending::crashed);
  machine_.reset();
  session_.reset();
  runs_.clear();
  ends_.clear();
  contents_.clear();
  results_.clear();
  cut_link();
  is_open_ = false;
}

void node::leave_if_done() {
  if (!machine_->has_left() || !runs_.empty())
    return;
  machine_.reset();
  contents_.clear();
  down_.clear();
  is_open_ = false;
}

// -- batches ------------------------------------------------------------------

void node::read_batches(duration now) {
  while (auto came = take(down_, own_, up_, now)) {
    if (machine_->told(came->batch, came->bytes, instant_of(now)))
      for (const auto& each : came->contents)
        contents_.emplace(each.task, each);
    forget_contents();
  }
}

void node::forget_contents() {
  for (auto each : std::exchange(machine_->forgotten(), {}))
    contents_.erase(each);
}

void node::write_batches(duration now) {
  forget_contents();
  for (auto& each : std::exchange(machine_->batches(), {}))
    post(std::move(each), now);
  if (session_ != machine_->link().session())
    results_.clear();
  session_ = machine_->link().session();
}

void node::post(libpool::batch_to_pool batch, duration now) {
  std::size_t bytes = 0;
  if (const auto* done = std::get_if<libpool::tasks_done>(&batch.content))
    for (const auto& each : done->ends) {
      auto found = results_.find(each.task);
      bytes += found->second;
      results_.erase(found);
    }
  result_bytes_ += bytes;
  send_new(own_, up_, parcel_to_pool{std::move(batch), bytes}, now);
}

template <class Parcel>
void node::send_new(libpool::session_stream<Parcel>& stream,
                    one_way<travelling<Parcel>>& way, Parcel parcel,
                    duration now) {
  auto object = parcel.batch.session;
  auto mark = is_beside_stream(parcel.batch) ? stream.mark_beside(object, false)
                                             : stream.add(object, parcel);
  send(way, {mark, std::move(parcel)}, now);
}

template <class Parcel>
void node::send(one_way<travelling<Parcel>>& way, travelling<Parcel> what,
                duration now) {
  ++batches_;
  if (!is_open_ || cuts_ > 0)
    return;
  auto bytes = what.parcel.bytes;
  way.send(std::move(what), bytes, now, latency());
}

/// Takes the next message batch that has to be handled. Asks for missing ones,
/// and repeats those that the other end asks for.
template <class Parcel, class Answer>
std::optional<Parcel> node::take(one_way<travelling<Parcel>>& way,
                                 libpool::session_stream<Answer>& stream,
                                 one_way<travelling<Answer>>& back,
                                 duration now) {
  while (auto came = way.take(now)) {
    auto object = came->parcel.batch.session;
    auto what = stream.note(object, came->mark);
    if (what.must_ask) {
      Answer asking;
      asking.batch.session = object;
      asking.batch.content.template emplace<libpool::resend>();
      send(back, {stream.mark_beside(object, true), std::move(asking)}, now);
    }
    if (what.must_repeat)
      stream.stream().repeat(
        [&](const libpool::stream_mark& mark, const Answer& kept) {
          send(back, {mark, kept}, now);
        });
    if (what.is_next)
      return std::move(came->parcel);
  }
  return std::nullopt;
}

// -- handlers -----------------------------------------------------------------

void node::begin_runs(duration now) {
  while (auto next = machine_->start(instant_of(now))) {
    auto found = contents_.find(*next);
    auto ends = after(now, run_time_of(scenario_, found->second, id_));
    watcher_.began(found->second, id_, now);
    runs_.emplace(*next, handler_run{found->second, now, ends});
    ends_.emplace(ends, *next);
    contents_.erase(found);
  }
}

void node::end_runs(duration now) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    auto found = runs_.find(ends_.begin()->second);
    ends_.erase(ends_.begin());
    auto ended = found->second;
    runs_.erase(found);
    note(ended, now, task_run::ending::completed);
    auto bytes = ended.of.from.result_bytes;
    if (machine_->finished(ended.of.task, libpool::ending::completed, bytes,
                           instant_of(now)))
      results_.emplace(ended.of.task, bytes);
  }
}

void node::note(const handler_run& run, duration now, task_run::ending ending) {
  busy_ += now - run.started;
  watcher_.ran({run.of.id, run.of.from.work->flow, id_, 1, run.of.submitted,
                run.started, now, ending, run.of.steals});
}

// -- questions ----------------------------------------------------------------

std::size_t node::free_slots() const noexcept {
  auto slots = scenario_.workers[id_].seats;
  return is_awake() && !is_leaving_ ? slots - std::min(slots, runs_.size()) : 0;
}

void node::close(duration now) {
  for (const auto& entry : runs_)
    note(entry.second, now, task_run::ending::still_running);
}

worker_row node::row() const {
  worker_row result;
  result.busy = busy_;
  for (const auto& entry : runs_)
    result.running.push_back(entry.second.of.id);
  for (const auto& entry : contents_)
    result.queued.push_back(entry.second.id);
  return result;
}

} // namespace poolsim

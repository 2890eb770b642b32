#include "feeder.hpp"

#include "fate.hpp"
#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <ostream>
#include <utility>

namespace durable {

namespace {

/// How long the thread may be with the queue, while settled jobs wait for it.
constexpr duration patience_for_queue{50};

/// Pause after the queue had no job.
constexpr duration rest{50};

/// The number of a request, which its answer has as well.
std::uint64_t number_of(caf::message_id request) {
  return request.request_id().integer_value();
}

} // namespace

feeder::feeder(caf::actor_config& cfg, job_queue& queue, work_options options,
               std::function<caf::actor()> make_worker, std::ostream& log,
               const std::atomic<bool>& stop)
  : caf::event_based_actor(cfg),
    queue_(queue),
    options_(std::move(options)),
    make_worker_(std::move(make_worker)),
    log_(log),
    stop_(stop) {
  // nop
}

caf::behavior feeder::make_behavior() {
  spawn_pool();
  take_later(duration{0});
  port::delayed_send(this, this, options_.ack_wait / 3, caf::ping_atom{});
  return {
    [this](caf::tick_atom) { take(); },
    [this](caf::ping_atom) { reassure(); },
    [this](std::uint64_t request, bool succeeded, const caf::error& why) {
      settled(request, succeeded, why);
    },
  };
}

/// `on_settled` runs in a thread of the pool and must not block: so it leaves
/// the queue to this actor. A task lasts until its answer, so that the pool can
/// tell whether that was an error.
void feeder::spawn_pool() {
  libpool::managed_options how;
  how.workers = options_.workers;
  how.capacity = options_.window;
  how.deadline = options_.deadline;
  how.busy_until = libpool::busy_until::answer;
  how.restart.max = 10'000; // the job that kills workers is soon dead
  how.restart.longest_pause = std::chrono::seconds{1};
  how.when_empty = libpool::when_empty::wait; // for workers that replace others
  how.on_settled = [me = caf::actor{this}](const libpool::settled_task& task) {
    port::anon_send(me, number_of(task.id), has_succeeded(task), task.reason);
  };
  pool_ = libpool::spawn_pool(system(), how, make_worker_);
}

void feeder::take() {
  will_take_ = false;
  if (is_over())
    return quit();
  if (room() == 0)
    return; // the next job that is settled makes some
  const auto jobs = stop_ ? std::vector<delivery>{}
                          : queue_.take(room(), patience_for_queue);
  for (const auto& job : jobs)
    begin(job);
  take_later(jobs.empty() ? rest : duration{0});
}

void feeder::take_later(duration pause) {
  if (std::exchange(will_take_, true))
    return;
  port::delayed_send(this, this, pause, caf::tick_atom{});
}

void feeder::begin(const delivery& job) {
  note("took", job, "");
  if (is_poison(job.attempt, options_.retries))
    end(job, false, "no attempt ended");
  else
    hand_to_pool(job);
}

/// An error that the worker answers comes before the pool settles the job.
void feeder::hand_to_pool(const delivery& job) {
  std::uint64_t request = 0;
  const auto keep = [&](caf::message_id id) {
    request = number_of(id);
    in_pool_[request].job = job;
  };
  port::numbered_request(this, pool_, keep, job.path)
    .then([] {},
          [this, request](const caf::error& why) {
            const auto i = in_pool_.find(request);
            if (i != in_pool_.end())
              i->second.answer = why;
          });
}

void feeder::settled(std::uint64_t request, bool succeeded,
                     const caf::error& why) {
  const auto node = in_pool_.extract(request);
  if (!node)
    return;
  const auto& [job, answer] = node.mapped();
  const auto& reason = why ? why : answer;
  end(job, succeeded, succeeded ? "" : libpool::render(reason, system()));
  take_later(duration{0});
}

void feeder::end(const delivery& job, bool succeeded, const std::string& why) {
  switch (after_attempt(succeeded, job.attempt, options_.retries)) {
    case fate::done:
      note("done", job, why);
      return queue_.done(job);
    case fate::again:
      note("again", job, why);
      return queue_.again(job, pause_after(job.attempt));
    case fate::dead:
      note("dead", job, why);
      return queue_.bury(job, why);
  }
}

void feeder::reassure() {
  queue_.still_working();
  port::delayed_send(this, this, options_.ack_wait / 3, caf::ping_atom{});
}

std::size_t feeder::room() const {
  return options_.window - in_pool_.size();
}

bool feeder::is_over() {
  return in_pool_.empty()
         && (stop_ || (options_.until_empty && queue_.is_empty()));
}

/// Writes a line to the log immediately, since a reader may wait for it.
void feeder::note(const char* event, const delivery& job,
                  const std::string& more) {
  log_ << event << ' ' << job.attempt << ' ' << job.path
       << (more.empty() ? "" : ": ") << more << std::endl;
}

void feeder::on_exit() {
  anon_send_exit(pool_, caf::exit_reason::user_shutdown);
  pool_ = nullptr;
}

} // namespace durable

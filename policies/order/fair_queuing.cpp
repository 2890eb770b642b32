#include "libpool/policies/order/fair_queuing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace libpool {

namespace {

/// Maximum charge. It is far below half of the range of the virtual clock,
/// which wraps around.
constexpr std::int64_t most_charge = std::int64_t{1} << 60U;

constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

std::size_t limit_of(const fair_queuing_options& options) {
  constexpr std::size_t as_published = 50;
  auto otherwise = options.mode == fair_mode::kubernetes ? as_published
                                                         : no_limit;
  return options.queue_limit.value_or(otherwise);
}

fair_queue& queue_of(const task& task) noexcept {
  return static_cast<fair_queue&>(*task.queue);
}

/// Returns the time for which the seats of the task were taken, summed over the
/// seats, if its handler has run for the time `ran`.
duration seat_time(const task& task, duration ran) noexcept {
  return ran * static_cast<std::int64_t>(task.attempt().seats);
}

fair_queue& left_queue_of(task& task) noexcept {
  return static_cast<fair_queue&>(*std::exchange(task.queue, nullptr));
}

} // namespace

fair_queuing::fair_queuing(const fair_queuing_options& options,
                           virtual_time start)
  : guess_(options.guess), clock_(start), limit_(limit_of(options)) {
  check(options);
}

// -- facts --------------------------------------------------------------------

void fair_queuing::added(task& task, instant now) noexcept {
  pass(now);
  if (!task.has_arrived) {
    task.has_arrived = true;
    task.virtual_arrival = clock_;
  }
  auto& queue = queue_for(task, now);
  task.queue = &queue;
  if (queue.is_idle())
    woke(queue);
  queue.seats_wanted += task.notes().width;
  seats_wanted_ += task.notes().width;
  wait(queue, task);
}

void fair_queuing::removed(task& task, instant now) noexcept {
  pass(now);
  auto& queue = left_queue_of(task);
  auto was_head = &queue.head() == &task;
  wait_no_more(queue, task);
  if (was_head)
    rearrange(queue, now);
}

void fair_queuing::dispatched(task& task, instant now) noexcept {
  pass(now);
  auto& queue = queue_of(task);
  gets_turn(queue, !task.follows);
  wait_no_more(queue, task);
  queue.next = queue.next + charge(queue, task.attempt().seats, guess_);
  ++queue.running;
  seats_taken_ += task.attempt().seats;
  rearrange(queue, now);
}

void fair_queuing::held(task& task, instant now) noexcept {
  pass(now);
  auto& queue = queue_of(task);
  queue.waiting.remove(task);
  ++queue.held;
  rearrange(queue, now);
}

void fair_queuing::freed(task& task, instant now) noexcept {
  pass(now);
  auto& queue = queue_of(task);
  --queue.held;
  wait(queue, task);
}

/// A queue without other tasks is owed nothing for the time in which its flow
/// was at its limits, or paused.
void fair_queuing::unparked(task& task, instant now) noexcept {
  pass(now);
  auto& queue = queue_of(task);
  if (queue.waiting.empty())
    queue.next = later(clock_, queue.next);
  --queue.held;
  wait(queue, task);
}

void fair_queuing::served(const task& task) noexcept {
  auto& queue = queue_of(task);
  ++queue.served;
  queue.waits += task.started - task.accepted;
}

void fair_queuing::unassigned(task& task, std::optional<duration> ran,
                              instant now) noexcept {
  pass(now);
  auto& queue = left_queue_of(task);
  --queue.running;
  seats_taken_ -= task.attempt().seats;
  auto cost = charge(queue, task.attempt().seats, ran.value_or(duration{0}));
  queue.next = queue.next
               + (cost - charge(queue, task.attempt().seats, guess_));
  queue.seat_time += seat_time(task, ran.value_or(duration{0}));
  rearrange(queue, now);
}

void fair_queuing::seated(std::size_t seats, instant now) noexcept {
  pass(now);
  auto before = std::exchange(seats_, seats);
  auto takes_other_seats = [&](const fair_queue& queue) {
    std::uint64_t width = queue.head_width;
    return seats_for(width) != (before > 0 ? std::min(width, before) : width);
  };
  for (auto i = wide_.begin(); i != wide_.end() && takes_other_seats(*i); ++i)
    line_up(*i);
}

bool fair_queuing::has_limits() const noexcept {
  return limit_ != no_limit;
}

/// No task overtakes a wide one, for which seats are gathered; a wide one may
/// have no seats yet.
task* fair_queuing::newest(task& next) noexcept {
  auto& newest = queue_of(next).waiting.newest();
  auto is_narrow = newest.notes().width <= 1 && next.notes().width <= 1;
  return is_narrow ? &newest : &next;
}

// -- parts that the modes share -----------------------------------------------

/// Adds the task to its queue, where the task may become the head.
void fair_queuing::wait(fair_queue& queue, task& task) noexcept {
  queue.waiting.add(task);
  levels_.grew(queue, queue.length());
  if (&queue.head() == &task) {
    queue.next = later(queue.next, task.virtual_arrival + -most_credit(queue));
    stand(queue);
  }
}

void fair_queuing::wait_no_more(fair_queue& queue, task& task) noexcept {
  queue.waiting.remove(task);
  queue.seats_wanted -= task.notes().width;
  seats_wanted_ -= task.notes().width;
}

/// Updates the queue after a change of its head or of its charges.
void fair_queuing::rearrange(fair_queue& queue, instant now) noexcept {
  if (!queue.waiting.empty())
    queue.next = later(queue.next,
                       queue.head().virtual_arrival + -most_credit(queue));
  stand(queue);
  if (queue.is_idle())
    idled(queue, now);
}

/// Updates the position of the queue by its head, and by the width of the head
/// if its end depends on the number of seats.
void fair_queuing::stand(fair_queue& queue) noexcept {
  auto width = queue.waiting.empty() ? 0 : queue.head().notes().width;
  if (width != queue.head_width) {
    queue.wide_hook.unlink();
    queue.head_width = width;
    if (width > 1)
      wide_.insert(queue);
  }
  line_up(queue);
}

/// Returns the number of seats that a task of this width takes. Without any
/// seats, the result is the width.
std::uint64_t fair_queuing::seats_for(std::uint64_t width) const noexcept {
  return seats_ > 0 ? std::min(width, seats_) : width;
}

std::int64_t fair_queuing::charge(const fair_queue& queue, std::uint64_t seats,
                                  duration time) const noexcept {
  __extension__ using wide = __int128;
  auto cost = static_cast<wide>(seats) * time.count();
  if (queue.share == 1) // exactly
    return static_cast<std::int64_t>(std::min<wide>(cost, most_charge));
  auto shared = static_cast<double>(cost) / queue.share;
  return shared < static_cast<double>(most_charge)
           ? static_cast<std::int64_t>(shared)
           : most_charge;
}

virtual_time fair_queuing::finish_of(const fair_queue& queue) const noexcept {
  return queue.next
         + charge(queue, seats_for(queue.head().notes().width), guess_);
}

flow_stats fair_queuing::row_of(const fair_queue& queue) const {
  flow_stats result;
  result.waiting = queue.length();
  result.running = queue.running;
  if (!queue.waiting.empty())
    result.waiting_since = queue.head().accepted;
  result.served = queue.served;
  result.seat_time = queue.seat_time;
  result.refused = queue.refused;
  result.waited = queue.waits;
  if (queue.served > 0)
    result.mean_wait = queue.waits / static_cast<std::int64_t>(queue.served);
  auto behind = clock_ - queue.next;
  if (!queue.is_idle() || behind < 0)
    result.lag = duration{
      static_cast<std::int64_t>(static_cast<double>(behind) * queue.share)};
  return result;
}

} // namespace libpool

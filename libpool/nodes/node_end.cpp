#include "libpool/nodes/node_end.hpp"

#include "libpool/nodes/travelling.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

namespace libpool {

namespace {

constexpr auto any_number = std::numeric_limits<std::size_t>::max();
constexpr auto weight_of_latest = 0.05;

/// Whether the two differ by less than a quarter of the second.
template <class Quantity>
bool is_close(Quantity x, Quantity y) noexcept {
  return x == y || 4 * (x > y ? x - y : y - x) < y;
}

} // namespace

node_end::node_end(incarnation who, const node_offer& how) noexcept
  : how_(how),
    link_(who),
    credit_(how.credit),
    receipts_(how.credit),
    service_(weight_of_latest) {
  // nop
}

// -- facts --------------------------------------------------------------------

void node_end::connected(instant now) {
  if (is_leaving_ || is_dismissed_)
    return;
  link_.connected(now);
  collect_link();
}

void node_end::disconnected() {
  link_.disconnected();
  collect_link();
  leave_if_done();
}

bool node_end::told(const letter_to_node& letter, std::size_t bytes,
                    instant now) {
  if (const auto* back = std::get_if<beat>(&letter.content)) {
    measure(*back, now);
    link_.told(*back, now);
  } else if (const auto* in = std::get_if<welcome>(&letter.content)) {
    link_.told(*in, now);
  } else if (session_ != letter.session) {
    return false;
  } else if (std::holds_alternative<bye>(letter.content)) {
    is_dismissed_ = true;
    link_.disconnected();
  } else if (const auto* sent = std::get_if<tasks_sent>(&letter.content)) {
    bytes_.add(sent->tasks.size(), bytes);
    take(*sent);
  } else if (const auto* asked = std::get_if<steal_request>(&letter.content)) {
    take(*asked);
  } else if (const auto* got = std::get_if<receipt>(&letter.content)) {
    take(*got);
  } else if (const auto* those = std::get_if<forget>(&letter.content)) {
    take(*those);
  }
  collect_link();
  if (auto total = session_ ? receipts_.received(bytes) : std::nullopt)
    send(*session_, receipt{*total});
  return session_ == letter.session;
}

void node_end::ticked(instant now) {
  link_.ticked(now);
  collect_link();
}

bool node_end::finished(task_number task, ending how, std::size_t bytes,
                        instant now, std::optional<duration> took) {
  auto found = began_.find(task);
  if (found == began_.end())
    return false;
  if (how == ending::completed)
    service_.add(took.value_or(now - found->second));
  began_.erase(found);
  tasks_.finished(task, how);
  auto is_told = !tasks_.messages().empty();
  tasks_.messages().clear();
  if (is_told) {
    result_bytes_.add(1, bytes);
    results_.push_back({task_done{task, how}, bytes});
    ship_if_due();
    if (!has_to_flush_ && !results_.empty()) {
      has_to_flush_ = true;
      waits_since_ = now;
    }
  }
  leave_if_done();
  return is_told;
}

void node_end::unreadable(task_number task, std::string why) {
  began_.erase(task);
  if (session_ && tasks_.withdrawn(task))
    send(*session_, unread{task, std::move(why)});
  leave_if_done();
}

void node_end::leave() {
  is_leaving_ = true;
  give_back_waiting();
  state_demand();
  leave_if_done();
}

/// Beats wait behind contents: the shortest round trip is that of the link, and
/// what it takes beyond is of the node's own making.
void node_end::measure(const beat& back, instant now) {
  if (session_ != back.session)
    return;
  auto took = std::max(now - back.sent, duration{0});
  round_trip_ = round_trip_ ? std::min(*round_trip_, took) : took;
}

// -- letters ------------------------------------------------------------------

void node_end::take(const tasks_sent& sent) {
  tasks_.told(sent);
  if (is_leaving_)
    give_back_waiting();
}

void node_end::take(const steal_request& request) {
  tasks_.told(request);
  collect_tasks();
}

void node_end::take(const receipt& confirmed) {
  credit_.confirmed(confirmed.bytes);
  ship();
  leave_if_done();
}

void node_end::take(const forget& unwanted) {
  auto given = tasks_.forget(unwanted.tasks);
  if (given.empty())
    return;
  forgotten_.insert(forgotten_.end(), given.begin(), given.end());
  send(*session_, steal_granted{request_number{0}, std::move(given)});
}

/// What has not begun is in the pool's hands again.
void node_end::give_back_waiting() {
  if (session_ && !tasks_.queue().empty())
    take(steal_request{request_number{0}, *session_, any_number});
}

/// The machine gives tasks away, or has nothing to give.
void node_end::collect_tasks() {
  for (const auto& each : std::exchange(tasks_.messages(), {})) {
    if (const auto* given = std::get_if<steal_granted>(&each)) {
      forgotten_.insert(forgotten_.end(), given->tasks.begin(),
                        given->tasks.end());
      send(*session_, *given);
    } else if (const auto* refused = std::get_if<steal_refused>(&each)) {
      send(*session_, *refused);
    }
  }
}

// -- sessions -----------------------------------------------------------------

void node_end::collect_link() {
  if (link_.session() != session_)
    session_changed();
  if (!session_)
    leave_if_done();
  for (const auto& each : std::exchange(link_.messages(), {}))
    std::visit(
      [&](const auto& message) {
        send(session_.value_or(worker_number{}), message);
      },
      each);
  if (session_ && told_.window == 0)
    state_demand();
}

/// Drops the tasks and results of the older session.
void node_end::session_changed() {
  session_ = link_.session();
  forgotten_.insert(forgotten_.end(), tasks_.queue().begin(),
                    tasks_.queue().end());
  tasks_ = {};
  results_.clear();
  credit_ = byte_credit{how_.credit};
  receipts_ = byte_receipts{how_.credit};
  told_ = {};
  round_trip_.reset();
  bytes_ = {};
  result_bytes_ = {};
  has_to_flush_ = false;
}

void node_end::leave_if_done() {
  if (!is_leaving_ || has_left_ || !tasks_.running().empty()
      || !results_.empty())
    return;
  has_left_ = true;
  if (!session_)
    return link_.disconnected(); // a welcome would come too late
  auto session = *session_;
  link_.leave();
  link_.messages().clear();
  session_changed();
  send(session, bye{session});
}

// -- results ------------------------------------------------------------------

void node_end::ship_if_due() {
  if (results_.size() >= how_.portion
      || (tasks_.running().empty() && tasks_.queue().empty()))
    ship();
}

void node_end::ship() {
  has_to_flush_ = false;
  while (!results_.empty() && credit_.allows(results_.front().bytes)) {
    tasks_done portion;
    while (!results_.empty() && portion.ends.size() < how_.portion
           && credit_.allows(results_.front().bytes)) {
      credit_.sent(results_.front().bytes);
      portion.ends.push_back(results_.front().end);
      results_.pop_front();
    }
    send(*session_, std::move(portion));
  }
  state_demand();
}

instant node_end::flush_at() const noexcept {
  if (!has_to_flush_)
    return never;
  return is_leaving_ ? waits_since_ : waits_since_ + time_to_wait();
}

duration node_end::time_to_wait() const noexcept {
  return libpool::time_to_wait({service(), result_bytes_.value()},
                               round_trip_.value_or(duration{0}));
}

void node_end::flush() {
  ship();
  leave_if_done();
}

// -- how much the node wants --------------------------------------------------

/// Returns the number of tasks that the node wants: the tasks that run now, and
/// those that run while a result waits, travels to the pool and a task travels
/// back. For tiny tasks, at least as many as two message batches bring.
std::size_t node_end::window() const noexcept {
  if (is_leaving_)
    return 0;
  if (service_.empty())
    return 2 * how_.slots;
  auto away = time_to_wait() + round_trip_.value_or(duration{0});
  auto ahead = (away + service() - duration{1}) / service();
  auto tasks = how_.slots * (1 + static_cast<std::size_t>(ahead));
  return is_tiny({service(), bytes_.value()})
           ? std::max(tasks, 2 * how_.portion)
           : tasks;
}

/// Tells the pool, unless it knows almost.
void node_end::state_demand() {
  demand now{window(), how_.slots, service(),
             round_trip_.value_or(duration{0})};
  if (!session_
      || (is_close(now.window, told_.window)
          && (is_leaving_ || is_close(now.service, told_.service))))
    return;
  told_ = now;
  send(*session_, now);
}

// -- questions ----------------------------------------------------------------

std::optional<task_number> node_end::start(instant now) {
  if (began_.size() >= how_.slots || !link_.may_begin(now)
      || (waiting() > 0 && began_.count(tasks_.queue().front()) > 0))
    return std::nullopt;
  auto next = tasks_.start();
  if (next)
    began_.emplace(*next, now);
  return next;
}

} // namespace libpool

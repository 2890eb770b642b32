#include "worker_registry.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "support/port/actors.hpp"

namespace products {

namespace {

caf::behavior help(caf::event_based_actor*) {
  return {[](const cargo& x) { return x.number; }};
}

/// @pre it is one
caf::actor_companion& companion(const caf::actor& actor) {
  return static_cast<caf::actor_companion&>(libpool::actor_behind(actor));
}

} // namespace

void require_workers(const records& told) {
  if (told.has_no_more_workers)
    throw std::runtime_error{"no more workers"};
}

int live_workers() {
  return counted<worker_state>::live;
}

worker_registry::worker_registry(caf::actor_system& system, worker_kind kind,
                                 std::shared_ptr<records> told)
  : system_(system),
    kind_(kind),
    records_(std::move(told)),
    helper_(system.spawn(help)) {
  // nop
}

template <class F>
void worker_registry::for_each(F f) {
  for (const auto& each : all_)
    if (auto worker = caf::actor_cast<caf::strong_actor_ptr>(each))
      if (!libpool::is_dead(*worker->get()))
        f(caf::actor_cast<caf::actor>(worker));
}

caf::actor worker_registry::add() {
  require_workers(*records_);
  auto at = std::make_shared<worker_state>(all_.size(), records_, helper_);
  auto result = spawn_worker(system_, kind_, at);
  if (kind_ == worker_kind::companion
      || (kind_ == worker_kind::deaf_companion && records_->is_open))
    listen(companion(result));
  all_.push_back(result.address());
  return result;
}

/// From now on the companion has a handler.
void worker_registry::listen(caf::actor_companion& self) {
  self.on_enqueue([queue = std::weak_ptr<event_loop>{queued_},
                   address = self.address()](caf::mailbox_element_ptr element) {
    if (auto loop = queue.lock())
      loop->push_back(
        {caf::actor_cast<caf::strong_actor_ptr>(address), std::move(element)});
  });
}

bool worker_registry::step(std::size_t draw) {
  return has_threads() ? step_thread(draw) : step_companion(draw);
}

/// Has one of the workers with messages in their mailboxes go on.
bool worker_registry::step_thread(std::size_t draw) {
  std::vector<std::size_t> busy;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (!rests(i))
      busy.push_back(i);
  if (busy.empty())
    return false;
  auto next = busy[draw % busy.size()];
  return records_->baton.lend(next, [=] { return rests(next); });
}

/// Whether a worker with a thread of its own waits for messages or has ended.
bool worker_registry::rests(std::size_t worker) const {
  auto handle = caf::actor_cast<caf::strong_actor_ptr>(all_[worker]);
  if (handle == nullptr)
    return true;
  auto look = [](const auto& mailbox) {
    return mailbox.blocked() || mailbox.closed();
  };
  return kind_ == worker_kind::blocking
           ? look(static_cast<caf::blocking_actor*>(handle->get())->mailbox())
           : look(static_cast<caf::scheduled_actor*>(handle->get())->mailbox());
}

/// Has a companion handle its first message.
bool worker_registry::step_companion(std::size_t draw) {
  if (queued_ == nullptr || queued_->empty())
    return false;
  auto& all = *queued_;
  auto of = all[draw % all.size()].to;
  std::size_t i = 0;
  while (all[i].to != of)
    ++i;
  auto next = std::move(all[i]);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  test::host host{system_};
  if (next.to != nullptr && !libpool::is_dead(*next.to->get()))
    static_cast<caf::actor_companion*>(next.to->get())
      ->activate(host, *next.element);
  return true;
}

void worker_registry::open() {
  records_->is_open = true;
  if (kind_ == worker_kind::deaf_companion)
    for_each([this](const caf::actor& actor) { listen(companion(actor)); });
  for_each([](const caf::actor& actor) { caf::anon_send(actor, open_atom{}); });
}

void worker_registry::keep_promises() {
  for_each([](const caf::actor& actor) { caf::anon_send(actor, keep_atom{}); });
}

void worker_registry::dismiss() {
  caf::anon_send_exit(helper_, caf::exit_reason::user_shutdown);
  helper_ = nullptr;
  queued_ = nullptr; // companions have no event loop any more
}

} // namespace products

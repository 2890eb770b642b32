#include "workers.hpp"

#include "libpool/actors/handles.hpp"

#include <caf/actor_companion.hpp>

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace products {

namespace {

using keep_atom = caf::atom_constant<caf::atom("keep")>;
using open_atom = caf::atom_constant<caf::atom("open")>;

} // namespace

/// Goes with the behavior of its worker; promises that are left are lost.
class desk {
public:
  desk(std::size_t worker, std::shared_ptr<records> told, caf::actor helper)
    : worker_(worker), records_(std::move(told)), helper_(std::move(helper)) {
    // nop
  }

  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  ~desk() {
    for (auto& each : promises_)
      if (each.second.pending())
        records_->messages[static_cast<std::size_t>(each.first)]
          .promise_is_lost = true;
  }

  std::size_t number() const {
    return worker_;
  }

  bool expects_strange() const {
    return records_->has_strange;
  }

  baton& turns() const {
    return records_->baton;
  }

  void keep_promises() {
    for (auto& each : std::exchange(promises_, {}))
      if (each.second.pending())
        each.second.deliver(each.first);
  }

  template <class Self>
  caf::result<int> handle(Self& self, const cargo& x) {
    auto& message = records_->messages.at(static_cast<std::size_t>(x.number));
    if (message.does == handling::never_looks
        || (message.does == handling::skips && !records_->is_open)) {
      message.was_skipped = true;
      return caf::skip();
    }
    auto is_first = message.all_runs() == 0;
    ++message.runs[{x.part, worker_}];
    switch (message.does) {
      case handling::answers:
      case handling::skips:
      case handling::never_looks:
        return x.number;
      case handling::answers_with_error:
        return caf::make_error(caf::sec::invalid_argument);
      case handling::throws:
        if (is_first || records_->throws_again)
          throw std::runtime_error{"as it was told"};
        return x.number;
      case handling::quits:
        end(self, caf::exit_reason::user_shutdown);
        return x.number;
      case handling::quits_failing:
        end(self, caf::sec::runtime_error);
        return x.number;
      case handling::awaits:
        return await(self, x);
      case handling::promises:
        promises_.emplace_back(x.number, self.make_response_promise());
        return caf::delegated<int>{};
      case handling::drops:
        message.promise_is_lost = true;
        static_cast<void>(self.make_response_promise());
        return caf::delegated<int>{};
      case handling::delegates:
        self.delegate(helper_, x);
        return caf::delegated<int>{};
    }
    return x.number;
  }

  caf::error strange() {
    ++records_->strange_runs;
    return caf::sec::unexpected_message;
  }

private:
  template <class Self>
  static constexpr bool blocks = std::is_base_of_v<caf::blocking_actor, Self>;

  template <class Self>
  void end(Self& self, caf::error why) {
    if constexpr (blocks<Self>)
      self.stop(std::move(why));
    else
      self.quit(std::move(why));
  }

  template <class Self>
  caf::result<int> await(Self& self, const cargo& x) {
    auto promise = self.make_response_promise();
    auto kept = [promise](int y) mutable { promise.deliver(y); };
    if constexpr (blocks<Self>)
      self.request(helper_, caf::infinite, x).receive(kept, [](caf::error&) {});
    else if constexpr (!std::is_base_of_v<caf::actor_companion, Self>)
      self.request(helper_, caf::infinite, x).await(kept);
    return caf::delegated<int>{};
  }

  counted<desk> here_;
  const std::size_t worker_;
  const std::shared_ptr<records> records_;
  const caf::actor helper_;
  std::vector<std::pair<int, caf::response_promise>> promises_;
};

int live_workers() {
  return counted<desk>::live;
}

namespace {

using desk_ptr = std::shared_ptr<desk>;

template <class Self>
typename Self::behavior_type work_of(Self* self, const desk_ptr& at) {
  return {
    [=](const cargo& x) { return at->handle(*self, x); },
    [=](keep_atom) { at->keep_promises(); },
    [=](open_atom) { self->become(work_of(self, at)); }, // looks again
  };
}

template <class Self>
typename Self::behavior_type begin(Self* self, const desk_ptr& at) {
  self->set_default_handler(
    [at = std::weak_ptr<desk>{at}](
      caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> {
      auto desk = at.lock();
      return desk != nullptr ? desk->strange()
                             : caf::error{caf::sec::unexpected_message};
    });
  self->set_exception_handler([](caf::scheduled_actor*, std::exception_ptr&) {
    return caf::error{caf::sec::runtime_error}; // without a word
  });
  return work_of(self, at);
}

class event_worker : public caf::event_based_actor {
public:
  event_worker(caf::actor_config& cfg, desk_ptr at)
    : caf::event_based_actor(cfg), at_(std::move(at)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return begin<caf::event_based_actor>(this, std::exchange(at_, nullptr));
  }

private:
  desk_ptr at_;
};

class detached_worker final : public event_worker {
public:
  detached_worker(caf::actor_config& cfg, const desk_ptr& at)
    : event_worker(cfg, at), turns_(at->turns()), number_(at->number()) {
    // nop
  }

  caf::resumable::resume_result resume(caf::execution_unit* host,
                                       std::size_t most) override {
    turn here{turns_, number_};
    return event_worker::resume(host, most);
  }

private:
  baton& turns_;
  const std::size_t number_;
};

class blocking_worker final : public caf::blocking_actor {
public:
  blocking_worker(caf::actor_config& cfg, desk_ptr at)
    : caf::blocking_actor(cfg),
      turns_(at->turns()),
      number_(at->number()),
      at_(std::move(at)) {
    // nop
  }

  void act() override {
    static thread_local std::optional<turn> until_thread_ends;
    until_thread_ends.emplace(turns_, number_);
    auto at = std::exchange(at_, nullptr);
    auto receive = [&](auto... more) {
      receive_while(is_running_)(
        [&](const cargo& x) { return at->handle(*this, x); },
        [&](keep_atom) { at->keep_promises(); }, [](open_atom) {},
        [&](caf::exit_msg& x) { stop(std::move(x.reason)); }, more...);
    };
    auto strange = [&](caf::message_view&) -> caf::result<caf::message> {
      return at->strange();
    };
    if (at->expects_strange())
      receive(caf::others >> strange);
    else
      receive();
  }

  void stop(caf::error why) {
    is_running_ = false;
    fail_state(std::move(why));
  }

protected:
  void await_data() override {
    turns_.give_back();
    caf::blocking_actor::await_data();
    turns_.take(number_);
  }

  bool await_data(timeout_type until) override {
    turns_.give_back();
    auto result = caf::blocking_actor::await_data(until);
    turns_.take(number_);
    return result;
  }

private:
  baton& turns_;
  const std::size_t number_;
  desk_ptr at_;
  bool is_running_ = true;
};

using typed_worker =
  caf::typed_actor<caf::replies_to<cargo>::with<int>, caf::reacts_to<keep_atom>,
                   caf::reacts_to<open_atom>>;

typed_worker::behavior_type typed(typed_worker::pointer self,
                                  const desk_ptr& at) {
  using base = std::remove_pointer_t<typed_worker::pointer>;
  return begin<base>(self, at);
}

caf::behavior function(caf::event_based_actor* self, const desk_ptr& at) {
  return begin(self, at);
}

struct notes {
  std::vector<int> unused;
};

caf::behavior stateful(caf::stateful_actor<notes>* self, const desk_ptr& at) {
  return begin<caf::event_based_actor>(self, at);
}

/// What runs in an event loop of its own, which the test is.
struct companion_worker final : caf::actor_companion {
  using caf::actor_companion::actor_companion;
};

caf::behavior help() {
  return {[](const cargo& x) { return x.number; }};
}

} // namespace

staff::staff(caf::actor_system& system, worker_kind kind,
             std::shared_ptr<records> told)
  : system_(system),
    kind_(kind),
    records_(std::move(told)),
    helper_(system.spawn(help)) {
  // nop
}

template <class F>
void staff::for_each(F f) {
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (auto who = caf::actor_cast<caf::strong_actor_ptr>(all_[i]))
      if (!libpool::is_dead(*who->get()))
        f(caf::actor_cast<caf::actor>(who));
}

caf::actor staff::hire() {
  if (records_->has_no_more_workers)
    throw std::runtime_error{"no more workers"};
  auto at = std::make_shared<desk>(all_.size(), records_, helper_);
  caf::actor result;
  switch (kind_) {
    case worker_kind::event_based:
      result = system_.spawn<event_worker>(std::move(at));
      break;
    case worker_kind::function:
      result = system_.spawn(function, std::move(at));
      break;
    case worker_kind::stateful:
      result = system_.spawn(stateful, std::move(at));
      break;
    case worker_kind::typed:
      result = caf::actor_cast<caf::actor>(system_.spawn(typed, std::move(at)));
      break;
    case worker_kind::companion:
    case worker_kind::deaf_companion:
      result = hire_companion(std::move(at));
      break;
    case worker_kind::detached:
      result = system_.spawn<detached_worker, caf::detached>(std::move(at));
      break;
    case worker_kind::blocking:
      result = system_.spawn<blocking_worker>(std::move(at));
      break;
  }
  all_.push_back(result.address());
  return result;
}

caf::actor staff::hire_companion(std::shared_ptr<desk> at) {
  auto result = caf::actor_cast<caf::actor>(system_.spawn<companion_worker>());
  auto& self = static_cast<companion_worker&>(libpool::actor_behind(result));
  self.become(begin(&self, at));
  if (kind_ == worker_kind::companion)
    listen(self);
  return result;
}

/// From now on the companion has a handler.
void staff::listen(caf::actor_companion& self) {
  self.on_enqueue([queue = std::weak_ptr<event_loop>{queued_},
                   address = self.address()](caf::mailbox_element_ptr what) {
    if (auto loop = queue.lock())
      loop->push_back(
        {caf::actor_cast<caf::strong_actor_ptr>(address), std::move(what)});
  });
}

bool staff::step(std::size_t draw) {
  return has_threads() ? step_thread(draw) : step_companion(draw);
}

/// Has one of those with something in their mailboxes go on.
bool staff::step_thread(std::size_t draw) {
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
bool staff::rests(std::size_t worker) const {
  auto who = caf::actor_cast<caf::strong_actor_ptr>(all_[worker]);
  if (who == nullptr)
    return true;
  auto look = [](const auto& mailbox) {
    return mailbox.blocked() || mailbox.closed();
  };
  return kind_ == worker_kind::blocking
           ? look(static_cast<caf::blocking_actor*>(who->get())->mailbox())
           : look(static_cast<caf::scheduled_actor*>(who->get())->mailbox());
}

/// Has a companion handle what came to it first.
bool staff::step_companion(std::size_t draw) {
  if (queued_ == nullptr || queued_->empty())
    return false;
  auto& all = *queued_;
  auto of = all[draw % all.size()].to;
  std::size_t i = 0;
  while (all[i].to != of)
    ++i;
  auto next = std::move(all[i]);
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  caf::scoped_execution_unit host{&system_};
  if (next.to != nullptr && !libpool::is_dead(*next.to->get()))
    static_cast<companion_worker*>(next.to->get())
      ->activate(&host, *next.element);
  return true;
}

void staff::open() {
  records_->is_open = true;
  if (kind_ == worker_kind::deaf_companion)
    for_each([this](const caf::actor& who) {
      listen(static_cast<companion_worker&>(libpool::actor_behind(who)));
    });
  for_each(
    [](const caf::actor& who) { caf::anon_send(who, open_atom::value); });
}

void staff::keep_promises() {
  for_each(
    [](const caf::actor& who) { caf::anon_send(who, keep_atom::value); });
}

void staff::dismiss() {
  caf::anon_send_exit(helper_, caf::exit_reason::user_shutdown);
  helper_ = nullptr;
  queued_ = nullptr; // companions have no event loop any more
}

} // namespace products

#include "support/fair_models.hpp"

#include <algorithm>
#include <tuple>

using libpool::duration;
using libpool::instant;
using libpool::task;

namespace test {

// -- what both modes share ----------------------------------------------------

const task& plain_queue::head() const {
  return **std::min_element(
    waiting.begin(), waiting.end(), [](const task* x, const task* y) {
      return std::tie(y->rank, x->number) < std::tie(x->rank, y->number);
    });
}

void fair_model::added(const task& task, instant now) {
  begin_fact(now);
  if (task.crashes == 0 && task.started == libpool::never)
    arrived_[&task] = clock_; // kept by those that come back
  auto& which = queue_for(task, now);
  where_[&task] = &which;
  if (which.is_idle()) {
    woke(which);
    which.came_free = which.next == clock_;
    which.waits_since_idle = true;
  } else if (which.waiting.empty()) {
    which.came_free = false;
  }
  which.wanted += task.width;
  which.waiting.push_back(&task);
  end_fact(which, now, &which.head() == &task);
}

void fair_model::removed(const task& task, instant now) {
  begin_fact(now);
  auto& which = *where_.at(&task);
  auto& all = which.waiting;
  auto was_head = &which.head() == &task;
  all.erase(std::find(all.begin(), all.end(), &task));
  which.wanted -= task.width;
  end_fact(which, now, was_head);
}

void fair_model::dispatched(const task& task, instant now) {
  begin_fact(now);
  auto& which = *where_.at(&task);
  gets_turn(which);
  which.turn_at = facts_;
  which.next += charge(which, task.seats, how_.guess);
  ++which.running;
  taken_ += task.seats;
  which.waiting.erase(
    std::find(which.waiting.begin(), which.waiting.end(), &task));
  which.wanted -= task.width;
  end_fact(which, now);
}

void fair_model::held(const task& task, instant now) {
  begin_fact(now);
  auto& which = *where_.at(&task);
  which.waiting.erase(
    std::find(which.waiting.begin(), which.waiting.end(), &task));
  ++which.held;
  end_fact(which, now);
}

void fair_model::freed(const task& task, instant now) {
  begin_fact(now);
  auto& which = *where_.at(&task);
  --which.held;
  which.waiting.push_back(&task);
  end_fact(which, now, &which.head() == &task);
}

void fair_model::unassigned(const task& task, std::optional<duration> ran,
                            instant now) {
  begin_fact(now);
  auto& which = *where_.at(&task);
  --which.running;
  taken_ -= task.seats;
  which.next -= charge(which, task.seats, how_.guess);
  if (ran)
    which.next += charge(which, task.seats, *ran);
  end_fact(which, now);
}

void fair_model::seated(std::uint64_t seats, instant now) {
  begin_fact(now);
  seats_ = seats;
}

const task* fair_model::choose() const {
  const plain_queue* best = nullptr;
  for (const auto& each : queues_) {
    if (each.waiting.empty())
      continue;
    if (best == nullptr || finish_of(each) < finish_of(*best)
        || (finish_of(each) == finish_of(*best) && wins_tie(each, *best)))
      best = &each;
  }
  return best == nullptr ? nullptr : &best->head();
}

void fair_model::begin_fact(instant now) {
  ++facts_;
  pass(now);
}

void fair_model::end_fact(plain_queue& which, instant now, bool bounds_credit) {
  if (which.waiting.empty()) {
    which.waits_since = 0;
    which.waits_since_idle = false;
    if (which.is_idle())
      which.idle_since = now;
    return;
  }
  if (which.waits_since == 0)
    which.waits_since = facts_;
  auto least = arrived_.at(&which.head()) - most_credit(which);
  if (!bounds_credit || which.next >= least)
    return;
  if (which.waits_since_idle) {
    auto loss = static_cast<double>(least - which.next) * which.share;
    worst_loss_ = std::max(worst_loss_, loss);
  }
  which.next = least;
  which.raised_at = facts_;
  ++losses_;
}

std::int64_t fair_model::charge(const plain_queue& which, std::uint64_t seats,
                                duration time) {
  auto cost = static_cast<std::int64_t>(seats) * time.count();
  return static_cast<std::int64_t>(static_cast<double>(cost) / which.share);
}

std::int64_t fair_model::finish_of(const plain_queue& which) const {
  auto width = std::min<std::uint64_t>(which.head().width,
                                       std::max<std::uint64_t>(seats_, 1));
  return which.next + charge(which, width, how_.guess);
}

namespace {

// -- mode exact ---------------------------------------------------------------

class exact_model final : public fair_model {
public:
  using fair_model::fair_model;

protected:
  void pass(instant) override {
    // Its clock goes by turns.
  }

  plain_queue& queue_for(const task& task, instant now) override {
    auto [i, is_new] = flows_.emplace(task.flow.name(), nullptr);
    if (is_new) {
      i->second = &queues_.emplace_back();
      i->second->name = task.flow.name();
      if (auto share = how_.shares.find(i->first); share != how_.shares.end())
        i->second->share = share->second;
    }
    auto& result = *i->second;
    auto forgotten = result.is_idle()
                     && (result.next <= clock_
                         || now - result.idle_since >= how_.debt_memory);
    if (is_new || forgotten) {
      result.next = clock_;
      result.last_turn = 0;
      result.born = ++births_;
    }
    return result;
  }

  void woke(plain_queue& which) override {
    which.next = std::max(which.next, clock_);
  }

  void gets_turn(plain_queue& which) override {
    clock_ = std::max(clock_, which.next);
    which.last_turn = ++turns_;
  }

  std::int64_t most_credit(const plain_queue& which) const override {
    return charge(which, seats_, how_.guess);
  }

  bool wins_tie(const plain_queue& x, const plain_queue& y) const override {
    return std::tie(x.last_turn, x.born) < std::tie(y.last_turn, y.born);
  }

private:
  std::map<std::string, plain_queue*> flows_;
  std::uint64_t births_ = 0;
};

// -- mode kubernetes ----------------------------------------------------------

class kubernetes_model final : public fair_model {
public:
  explicit kubernetes_model(const libpool::fair_queuing_options& how)
    : fair_model(how), last_(how.queues - 1) {
    for (std::size_t i = 0; i < how.queues; ++i)
      queues_.emplace_back().name = "queue " + std::to_string(i);
  }

protected:
  /// Each active queue gets the same part of the seats that are wanted.
  void pass(instant now) override {
    std::int64_t active = 0;
    auto wanted = taken_;
    for (const auto& each : queues_) {
      wanted += each.wanted;
      active += each.is_idle() ? 0 : 1;
    }
    auto seats = static_cast<std::int64_t>(std::min(seats_, wanted));
    if (active > 0)
      clock_ += (now - last_fact_).count() * seats / active;
    last_fact_ = now;
  }

  plain_queue& queue_for(const task& task, instant) override {
    auto hand = hand_of(task.flow.hash());
    std::rotate(hand.begin(),
                hand.begin()
                  + static_cast<std::ptrdiff_t>(arrivals_ % hand.size()),
                hand.end());
    ++arrivals_;
    return queues_[*std::min_element(
      hand.begin(), hand.end(), [this](std::size_t x, std::size_t y) {
        return queues_[x].wanted < queues_[y].wanted;
      })];
  }

  void woke(plain_queue& which) override {
    which.next = clock_;
  }

  void gets_turn(plain_queue& which) override {
    last_ = number_of(which);
  }

  std::int64_t most_credit(const plain_queue&) const override {
    return 0;
  }

  bool wins_tie(const plain_queue& x, const plain_queue& y) const override {
    auto steps = [this](const plain_queue& to) {
      return (number_of(to) + queues_.size() - last_ - 1) % queues_.size();
    };
    return steps(x) < steps(y);
  }

private:
  std::vector<std::size_t> hand_of(std::uint64_t hash) const {
    std::vector<std::size_t> left(how_.queues);
    for (std::size_t i = 0; i < left.size(); ++i)
      left[i] = i;
    std::vector<std::size_t> result;
    while (result.size() < how_.hand_size) {
      auto dealt = left.begin()
                   + static_cast<std::ptrdiff_t>(hash % left.size());
      hash /= left.size();
      result.push_back(*dealt);
      left.erase(dealt);
    }
    return result;
  }

  std::size_t number_of(const plain_queue& which) const {
    std::size_t result = 0;
    while (&queues_[result] != &which)
      ++result;
    return result;
  }

  std::size_t last_;
  std::uint64_t arrivals_ = 0;
  instant last_fact_{};
};

} // namespace

std::unique_ptr<fair_model>
plain_model(const libpool::fair_queuing_options& how) {
  if (how.mode == libpool::fair_mode::kubernetes)
    return std::make_unique<kubernetes_model>(how);
  return std::make_unique<exact_model>(how);
}

} // namespace test

#include "support/fair_models.hpp"

using libpool::instant;
using libpool::task;

namespace test {

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
    auto [i, is_new] = flows_.emplace(task.flow.key().name(), nullptr);
    if (is_new) {
      i->second = &queues_.emplace_back();
      i->second->name = task.flow.key().name();
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

  void woke(plain_queue& queue) override {
    queue.next = std::max(queue.next, clock_);
  }

  void gets_turn(plain_queue& queue, bool begins) override {
    if (begins)
      clock_ = std::max(clock_, queue.next);
    queue.last_turn = ++turns_;
  }

  std::int64_t most_credit(const plain_queue& queue) const override {
    return charge(queue, seats_, how_.guess);
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
    for (const auto& other : queues_) {
      wanted += other.wanted;
      active += other.is_idle() ? 0 : 1;
    }
    auto seats = static_cast<std::int64_t>(std::min(seats_, wanted));
    if (active > 0)
      clock_ += (now - last_fact_).count() * seats / active;
    last_fact_ = now;
  }

  plain_queue& queue_for(const task& task, instant) override {
    auto hand = hand_of(task.flow.key().hash());
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

  void woke(plain_queue& queue) override {
    queue.next = clock_;
  }

  void gets_turn(plain_queue& queue, bool) override {
    last_ = number_of(queue);
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

  std::size_t number_of(const plain_queue& queue) const {
    std::size_t result = 0;
    while (&queues_[result] != &queue)
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

#include "libpool/actors/direct_policy.hpp"

#include "libpool/policies/random_draws.hpp"

#include <caf/actor_cast.hpp>

#include <cstddef>
#include <utility>

namespace libpool {

void direct_policy::dispatch_under(uplock& guard, delivery& what) {
  guard.unlock();
  dispatch(what);
}

namespace {

caf::abstract_actor& actor_at(const actor_vec& workers, std::size_t position) {
  return *caf::actor_cast<caf::abstract_actor*>(workers[position]);
}

class round_robin final : public direct_policy {
public:
  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<round_robin>();
  }

  void dispatch(delivery& what) override {
    auto next = what.turn.next(what.workers.size());
    actor_at(what.workers, next).enqueue(std::move(what.message), what.host);
  }
};

class random final : public direct_policy {
public:
  explicit random(const random_draws& draws) : draws_(draws) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<random>(draws_);
  }

  void dispatch(delivery& what) override {
    auto drawn = draws_.below(what.workers.size());
    actor_at(what.workers, drawn).enqueue(std::move(what.message), what.host);
  }

private:
  random_draws draws_;
};

class broadcast final : public direct_policy {
public:
  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<broadcast>();
  }

  void dispatch(delivery& what) override {
    auto& original = *what.message;
    auto content = original.move_content_to_message();
    for (auto& worker : what.workers)
      caf::actor_cast<caf::abstract_actor*>(worker)->enqueue(
        caf::make_mailbox_element(original.sender, original.mid,
                                  original.stages, content),
        what.host);
  }
};

} // namespace

std::unique_ptr<direct_policy> make_round_robin() {
  return std::make_unique<round_robin>();
}

std::unique_ptr<direct_policy> make_random(std::uint64_t seed) {
  return std::make_unique<random>(random_draws{seed});
}

std::unique_ptr<direct_policy> make_broadcast() {
  return std::make_unique<broadcast>();
}

} // namespace libpool

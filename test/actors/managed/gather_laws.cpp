/// Laws of all policies that gather, under crashes, deaths and deadlines.

#include "median_of_five.hpp"
#include "support/asking_again.hpp"
#include "support/crew_world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <set>

using namespace std::chrono_literals;

using libpool::actor_pool;
using libpool::gather_options;
using test::append;
using test::numbers;
using test::one_each;
using world = test::crew_world;
using does = world::does;

namespace {

using policy = libpool::policy;
using base = const policy&;

struct way {
  std::string name; // of the catalogue, and how
  bool takes_parts; // or a number
  std::function<policy(base)> over;
};

way splitting(const std::string& name, const gather_options& how) {
  return {"managed_split_join" + name, true, [how](base queue) {
            return actor_pool::managed_split_join<numbers>(append, one_each, {},
                                                           how, queue);
          }};
}

way asking_all(const std::string& name, const gather_options& how) {
  return {"broadcast_all" + name, false, [how](base queue) {
            return actor_pool::broadcast_all<numbers>(append, {}, how, queue);
          }};
}

template <class Plan>
policy of_own(const Plan& plan, base queue) {
  return actor_pool::gathered<numbers>(plan.clone(), append, {}, queue);
}

std::vector<way> ways() {
  gather_options timed;
  timed.timeout = 7ms;
  return {splitting("", {}),
          splitting(", ordered", test::ordered),
          splitting(", what came", test::what_came),
          splitting(", ordered, what came", test::ordered_what_came),
          splitting(", in time", timed),
          asking_all("", {}),
          asking_all(", what came", test::what_came),
          {"first_success", false,
           [](base queue) { return actor_pool::first_success(2, queue); }},
          {"quorum", false,
           [](base queue) {
             return actor_pool::quorum<numbers>(3, 2, append, {}, {}, queue);
           }},
          {"hedged", false,
           [](base queue) { return actor_pool::hedged(3ms, 100, queue); }},
          {"asking again", false,
           [](base queue) { return of_own(test::asking_again{}, queue); }},
          {"the median of five", false,
           [](base queue) { return of_own(median_of_five{4ms}, queue); }}};
}

constexpr std::size_t bases = 4;

policy base_policy(std::size_t which, const libpool::managed_options& options) {
  switch (which) {
    case 0:
      return actor_pool::shared_queue(options);
    case 1:
      return actor_pool::least_used(options);
    case 2:
      return actor_pool::fair_queuing({}, options);
    default:
      return actor_pool::work_stealing({}, options);
  }
}

/// A short life of a pool, drawn from a seed.
class life {
public:
  life(std::uint64_t seed, const way& how, std::size_t under)
    : draw_(seed), world_(seed), how_(how) {
    if (under != 2)
      world_.options.window = 1 + below(2);
    world_.options.when_empty = libpool::when_empty::wait;
    if (chance(3))
      world_.options.busy_until = libpool::busy_until::answer;
    if (chance(4)) {
      world_.options.on_crash = libpool::retry{1};
      retries_ = true;
    }
    if (chance(4))
      world_.options.deadline = 9ms;
    if (chance(6))
      world_.options.capacity = 4;
    world_.make(how.over(base_policy(under, world_.options)));
    for (auto n = 1 + below(4); n > 0; --n)
      add();
  }

  void live() {
    for (auto i = 0; i < 40; ++i)
      happens();
    for (auto& each : skipping_)
      world_.kill(each);
    world_.run();
    world_.keep_all();
    while (world_.by_worker.empty()
           || chance(2)) // for messages that wait for a worker
      world_.add(does::answer);
    world_.add(does::answer);
    world_.run();
    world_.advance(20ms);
    world_.keep_all();
    while (!world_.promises.empty()) { // of workers that have died
      world_.promises.clear();
      world_.run(); // may ask others, which promise
    }
    for (auto number : requests_) {
      CAPTURE(number);
      CHECK(world_.client.answer_to(number).count == 1);
    }
    if (!how_.takes_parts && !may_run_again())
      CHECK(std::set(world_.begun.begin(), world_.begun.end()).size()
            == world_.begun.size());
  }

private:
  /// A message that has crashed its first worker, any one, may run again on the
  /// one that was asked beside it.
  bool may_run_again() const {
    return how_.name == "hedged" && retries_;
  }

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(draw_);
  }

  bool chance(std::size_t one_in) {
    return below(one_in) == 0;
  }

  does script() {
    constexpr std::array all{
      does::answer,  does::answer, does::answer,  does::fail,   does::crash,
      does::promise, does::quit,   does::promise, does::answer, does::skip};
    return all.at(below(all.size()));
  }

  void add() {
    auto how = script();
    world_.add(how);
    if (how == does::skip)
      skipping_.push_back(world_.by_worker.back());
  }

  void ask() {
    auto& client = world_.client;
    requests_.push_back(
      how_.takes_parts ? client.request(world_.pool, numbers(1 + below(5), 7))
                       : client.request(world_.pool, ++messages_));
  }

  const caf::actor& any_worker() {
    return world_.by_worker.at(below(world_.by_worker.size()));
  }

  void happens() {
    switch (below(10)) {
      case 0:
        return add();
      case 1:
        return chance(3) ? world_.kill(any_worker()) : void();
      case 2:
        if (chance(3))
          world_.client.request(world_.pool, caf::sys_atom{},
                                caf::delete_atom{}, any_worker());
        return;
      case 3:
        return world_.advance(1ms);
      case 4:
        if (!world_.promises.empty())
          world_.keep(below(world_.promises.size()), 1);
        return;
      case 5:
      case 6:
      case 7:
        return ask();
      default:
        for (auto n = below(6); n > 0; --n)
          world_.step();
    }
  }

  std::mt19937_64 draw_;
  world world_;
  const way& how_;
  std::vector<caf::actor> skipping_;
  bool retries_ = false;
  int messages_ = 0;
  std::vector<std::uint64_t> requests_;
};

} // namespace

TEST_CASE(
  "these tests cover every policy that sends a message to several workers") {
  for (const auto& entry : libpool::gathering_policies()) {
    CAPTURE(std::string{entry.name});
    auto all = ways();
    CHECK(std::any_of(all.begin(), all.end(), [&](const way& each) {
      return each.name.compare(0, entry.name.size(), entry.name) == 0;
    }));
  }
}

TEST_CASE("a request to several workers is answered once, runs at most once on "
          "each, and leaves no open task") {
  for (const auto& how : ways())
    for (std::size_t under = 0; under < bases; ++under)
      for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        CAPTURE(how.name);
        CAPTURE(under);
        CAPTURE(seed);
        life{seed, how, under}.live();
      }
}

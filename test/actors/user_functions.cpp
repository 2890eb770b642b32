/// Functions of the user's that throw: the error names the function and has the
/// words of its exception.

#include "support/crew_world.hpp"

namespace user_functions_tests {

using namespace std::chrono_literals;
using libpool::actor_pool;
using libpool::flow_options;
using libpool::home_options;
using libpool::policy;
using test::crew_world;
using test::numbers;
using test::scripted;

namespace {

const std::string failed =
  "libpool: the policy, or a function given to the pool, failed: ";

[[noreturn]] void throw_too_late() {
  throw std::runtime_error{"too late"};
}

template <class Result>
auto throwing() {
  return [](const auto&) -> Result { throw_too_late(); };
}

void throwing_join(numbers&, caf::message&) {
  throw_too_late();
}

template <class Guard>
void throwing_policy(caf::actor_system&, Guard&, const libpool::actor_vec&,
                     caf::mailbox_element_ptr&, libpool::execution_context*) {
  throw_too_late();
}

/// Options with one function.
template <class Options, class Base, class Function, class F>
Options with(Function Base::*member, F function) {
  Options result;
  result.*member = function;
  return result;
}

struct world : crew_world {
  /// Asks a managed pool of one worker, whose tasks fail.
  void check(const policy& how, const std::string& words) {
    CAPTURE(words);
    make(how, {does::answer});
    CHECK(text(client.ask(pool, 1)) == failed + words);
    REQUIRE(fates.size() == 1);
    CHECK(libpool::render(fates[0].reason, system()) == failed + words);
    finish();
  }

  /// Asks a managed pool that gathers.
  void check_gather(const policy& how, const std::string& name,
                    const caf::message& sent) {
    CAPTURE(name);
    make(how, {does::answer});
    CHECK(text(client.ask(pool, sent)) == failed + name + " threw: too late");
    finish();
  }

  template <class Member, class F>
  policy fair(Member member, F function) {
    return actor_pool::fair_queuing(with<flow_options>(member, function),
                                    options);
  }

  template <class Member, class F>
  policy stealing(Member member, F function) {
    return actor_pool::work_stealing(with<home_options>(member, function),
                                     options);
  }

  template <class F>
  policy restricted(F may_run_on) {
    auto with_choice = options;
    with_choice.may_run_on = may_run_on;
    return actor_pool::shared_queue(with_choice);
  }
};

} // namespace

TEST_CASE_FIXTURE(
  world,
  "the error about an exception from a user function names the function") {
  using libpool::duration;
  using std::optional;
  check(actor_pool::priority(
          with<libpool::rank_options>(&libpool::rank_options::priority_of,
                                      throwing<std::int64_t>()),
          options),
        "priority_of threw: too late");
  check(actor_pool::consistent_hash(
          with<libpool::key_options>(&libpool::key_options::key_of,
                                     throwing<optional<std::uint64_t>>()),
          options),
        "key_of threw: too late");
  check(fair(&flow_options::flow_of, throwing<libpool::flow_key>()),
        "flow_of threw: too late");
  check(fair(&flow_options::flow_of,
             libpool::flow_by<int>(throwing<std::string>())),
        "flow_of threw: too late");
  check(fair(&flow_options::width_of, throwing<std::size_t>()),
        "width_of threw: too late");
  check(stealing(&home_options::home_of, throwing<optional<std::size_t>>()),
        "home_of threw: too late");
  check(stealing(&home_options::move_cost, throwing<duration>()),
        "move_cost threw: too late");
  check(stealing(&home_options::kind_of, throwing<std::uint64_t>()),
        "kind_of threw: too late");
  check(stealing(&home_options::estimate_of, throwing<optional<duration>>()),
        "estimate_of threw: too late");
  check(restricted(throwing<optional<libpool::worker_choice>>()),
        "may_run_on threw: too late");
}

TEST_CASE_FIXTURE(
  world,
  "the error names the user function that returned a value out of bounds") {
  check(fair(&flow_options::width_of, [](auto&) { return std::size_t{0}; }),
        "width_of: must be at least 1, got 0");
  check(stealing(&home_options::move_cost, [](auto&) { return -1ns; }),
        "move_cost: must be at least 0 ns, got -1");
  check(stealing(&home_options::estimate_of, [](auto&) { return -2ns; }),
        "estimate_of: must be at least 0 ns, got -2");
  check(restricted([](auto&) { return libpool::worker_choice{}; }),
        "may_run_on: must name at least 1 worker, got none");
}

TEST_CASE_FIXTURE(world, "the error states that weight_of threw") {
  make(actor_pool::weighted_round_robin(
    with<libpool::weight_options>(&libpool::weight_options::weight_of,
                                  throwing<libpool::duration>()),
    options));
  auto worker = system().spawn<test::doubler>();
  CHECK(text(put(worker)) == failed + "weight_of threw: too late");
  stop(worker);
}

TEST_CASE_FIXTURE(world, "the error states whether split or join threw") {
  auto sent = caf::make_message(numbers{1, 2});
  libpool::gather_options ordered;
  ordered.ordered = true;
  auto split = [](caf::message&) -> libpool::message_parts {
    throw_too_late();
  };
  check_gather(actor_pool::managed_split_join<numbers>(throwing_join, split, {},
                                                       {}, queue()),
               "split", sent);
  for (const auto& how : {libpool::gather_options{}, ordered})
    check_gather(actor_pool::managed_split_join<numbers>(
                   throwing_join, test::one_each, {}, how, queue()),
                 "join", sent);
  check_gather(
    actor_pool::broadcast_all<numbers>(throwing_join, {}, {}, queue()), "join",
    caf::make_message(1));
  check_gather(
    actor_pool::quorum<numbers>(1, 1, throwing_join, {}, {}, queue()), "join",
    caf::make_message(1));
}

TEST_CASE_FIXTURE(world,
                  "the error of a direct pool names the function that threw") {
  auto split = actor_pool::split_join<numbers>(
    throwing_join,
    [](libpool::worker_tasks&, caf::message&) { throw_too_late(); });
  auto in_functor = [split](auto& system, actor_pool::uplock& guard,
                            auto& workers, auto& element, auto* host) {
    split(system, guard, workers, element, host);
  };
  const std::vector<std::pair<std::string, policy>> all{
    {"join", actor_pool::split_join<numbers>(throwing_join)},
    {"split", split},
    {"the functor of the policy", throwing_policy<actor_pool::uplock>},
    {"the functor of the policy", throwing_policy<libpool::caf_guard>},
    {"split", in_functor}};
  for (const auto& [name, how] : all) {
    auto direct = actor_pool::make(
      system(), 1, [&] { return system().spawn<test::doubler>(); }, how);
    CHECK(text(client.ask(direct, 1)) == failed + name + " threw: too late");
    stop(direct);
  }
}

TEST_CASE_FIXTURE(
  world,
  "the error about missing workers states the last failure of the factory") {
  options.restart.max = 1;
  auto made = std::make_shared<int>(0);
  populate_by(1, [this, made] {
    if (++*made > 1)
      throw_too_late();
    return system().spawn<scripted>(
      [](scripted&) -> caf::behavior { return {[](int) { test::crash(); }}; });
  });
  client.send(pool, 1);
  auto number = client.request(pool, 2);
  run();
  advance(1s);
  CHECK(text(client.answer_to(number))
        == "libpool: the pool has no workers: the factory threw: too late");
}

} // namespace user_functions_tests

#include "support/stealing_facts.hpp"

#include "libpool/core/restriction.hpp"

#include <chrono>

using libpool::duration;
using std::chrono::milliseconds;

namespace test {

namespace {

/// So many workers have a number that restrictions and moves know.
constexpr std::uint64_t numbered = 64;

constexpr std::array<kind, 32> kinds{
  kind::submit, kind::submit, kind::submit, kind::submit, kind::submit,
  kind::submit, kind::submit, kind::submit, kind::submit, kind::submit,
  kind::start,  kind::start,  kind::finish, kind::finish, kind::finish,
  kind::finish, kind::finish, kind::crash,  kind::crash,  kind::come_back,
  kind::cancel, kind::cancel, kind::tick,   kind::tick,   kind::tick,
  kind::tick,   kind::join,   kind::join,   kind::retire, kind::leave,
  kind::pause,  kind::resume};

} // namespace

kind kind_of(const stealing_fact& fact) {
  return kinds[fact[0] % kinds.size()];
}

std::string text_of(const stealing_fact& fact) {
  std::string result = name_of(kind_of(fact));
  for (auto byte : fact)
    result += " " + std::to_string(byte);
  return result + "\n";
}

namespace {

/// Of the first workers, and of some that come later.
const std::vector<std::vector<std::uint64_t>> few_names{{1},
                                                        {0, 4, 5, 9},
                                                        {2, 3, 7, 10, 13},
                                                        {0, 6, 8, 11, 12, 15}};

} // namespace

/// Some tasks may run on one worker in two, three or four, or wish to, and some
/// on a few only. Some move to one worker in two or three more cheaply.
stealing_surroundings::stealing_surroundings(dispatcher_world& in,
                                             bool moves_are_dear)
  : world_(in), moves_are_dear_(moves_are_dear) {
  for (auto loose : {false, true})
    for (std::uint64_t every = 2; every < 5; ++every) {
      auto& where = world_.restrictions.emplace_back();
      where.loose = loose;
      for (std::uint64_t i = 0; i < numbered; i += every)
        where.only.push_back(libpool::worker_number{i});
    }
  for (const auto& few : few_names) {
    auto& where = world_.restrictions.emplace_back();
    for (auto number : few)
      where.only.push_back(libpool::worker_number{number});
  }
  for (std::uint64_t i = 0; i < numbered; ++i) {
    near_[0].push_back(milliseconds{i % 3 * 4});
    near_[1].push_back(i % 2 == 0 ? duration{0} : std::chrono::hours{1});
  }
}

void stealing_surroundings::describe(libpool::task& task,
                                     const stealing_fact& fact) {
  constexpr std::array<int, 8> costs{-1, -1, -1, -1, 0, 1, 4, 16};
  constexpr std::array<int, 8> moves{0, 0, 0, 1, 3, 9, 30, 3'600'000};
  task.home.reset();
  if (fact[1] % 4 != 0) {
    auto home = fact[1] / 4 % 2 == 0 ? 0 : fact[1] % world_.workers.size();
    task.home = world_.workers[home].number;
  }
  task.estimate.reset();
  if (auto cost = costs[fact[2] % costs.size()]; cost >= 0)
    task.estimate = milliseconds{cost};
  task.kind = fact[2] / 8 % 3;
  task.move = milliseconds{moves[fact[3] % moves.size()]};
  auto near = fact[3] / 8U % 4;
  task.moves = near < near_.size() ? &near_[near] : nullptr;
  auto where = fact[4] % 16U;
  task.where = where < world_.restrictions.size() ? &world_.restrictions[where]
                                                  : nullptr;
  task.key.reset();
  if (fact[5] % 8 == 0)
    task.key = 1;
  task.urgent = fact[5] / 8 % 8 == 0;
  if (moves_are_dear_)
    make_dear(task, fact);
}

void stealing_surroundings::make_dear(libpool::task& one,
                                      const stealing_fact& fact) {
  constexpr std::array<int, 8> costs{10, 10, 10, 10, 10, 10, 2, 1};
  constexpr std::array<int, 8> moves{50, 200, 1000, 1000, 1000, 1000, 1000, 9};
  auto home = fact[1] % 2 == 0 ? fact[1] / 2 % 2 : fact[1] / 2 % 8;
  one.home = world_.workers[static_cast<std::size_t>(home)].number;
  one.estimate = milliseconds{costs[fact[2] % costs.size()]};
  one.move = milliseconds{moves[fact[3] % moves.size()]};
  if (fact[4] % 4 != 0)
    one.where = nullptr;
  if (fact[3] / 8 % 8 != 0)
    one.moves = nullptr;
}

} // namespace test

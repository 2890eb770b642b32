/// When a managed pool accepts messages, and when it must end.

#include "libpool/actors/managed/endings.hpp"

#include <doctest/doctest.h>

#include <vector>

using libpool::endings;
using libpool::errc;

TEST_CASE("a pool that drains gives each answer once, with the first reason") {
  endings pool{libpool::when_empty::wait};
  std::vector<errc> told;
  auto answer = [&](errc why, libpool::execution_context*) {
    told.push_back(why);
  };
  pool.drain(answer);
  pool.drain(nullptr);
  pool.drain(answer);
  CHECK_FALSE(pool.accepts());
  pool.answer_drained(errc{}, nullptr);
  pool.answer_drained(errc::pool_closed, nullptr);
  CHECK(told == std::vector{errc{}, errc{}});
}

TEST_CASE("an answer that is awaited during an answer is given later") {
  endings pool{libpool::when_empty::wait};
  auto told = 0;
  auto answer = [&](errc, libpool::execution_context*) { ++told; };
  pool.await_idle([&](errc, libpool::execution_context*) {
    ++told;
    pool.await_idle(answer);
  });
  pool.answer_idle(errc{}, nullptr);
  CHECK(told == 1);
  CHECK(pool.is_awaited_idle());
  pool.answer_idle(errc{}, nullptr);
  CHECK(told == 2);
  CHECK_FALSE(pool.is_awaited_idle());
}

TEST_CASE(
  "a pool without workers ends, gives up or waits, as its option says") {
  constexpr auto alone = true;
  constexpr auto bereft = true;
  endings ends{libpool::when_empty::end};
  CHECK(ends.is_out_of_workers(alone, bereft));
  CHECK_FALSE(ends.is_out_of_workers(alone, !bereft));
  endings refuses{libpool::when_empty::refuse};
  CHECK_FALSE(refuses.is_out_of_workers(alone, bereft));
  CHECK(refuses.gives_up(alone));
  endings waits{libpool::when_empty::wait};
  CHECK_FALSE(waits.gives_up(alone));
  CHECK(waits.waits_in_vain(alone));
  waits.drain(nullptr);
  CHECK(waits.gives_up(alone));
  CHECK_FALSE(waits.waits_in_vain(alone));
}

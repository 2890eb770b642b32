#pragma once

#include "libpool/nodes/batch_bytes.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace test {

/// Draws a small number, or a number that can need all 64 bits.
inline std::uint64_t drawn_number() {
  return *rc::gen::oneOf(rc::gen::inRange<std::uint64_t>(0, 300),
                         rc::gen::arbitrary<std::uint64_t>(),
                         rc::gen::just(~std::uint64_t{0}));
}

template <class Number>
Number drawn() {
  return static_cast<Number>(drawn_number());
}

inline libpool::duration drawn_time() {
  return libpool::duration{drawn<libpool::duration::rep>()};
}

inline std::string drawn_text() {
  return *rc::gen::arbitrary<std::string>();
}

inline std::vector<libpool::task_number> drawn_tasks() {
  std::vector<libpool::task_number> result(
    *rc::gen::inRange<std::size_t>(0, 5));
  for (auto& each : result)
    each = drawn<libpool::task_number>();
  return result;
}

inline libpool::tasks_done drawn_ends() {
  libpool::tasks_done result;
  for (auto each : drawn_tasks())
    result.ends.push_back({each, *rc::gen::element(libpool::ending::completed,
                                                   libpool::ending::crashed)});
  return result;
}

inline std::vector<std::uint64_t> drawn_submissions() {
  return *rc::gen::arbitrary<std::vector<std::uint64_t>>();
}

inline libpool::introduction drawn_introduction() {
  libpool::introduction result;
  result.speaks = {drawn<std::uint32_t>(), drawn<std::uint32_t>()};
  result.name = drawn_text();
  result.labels = *rc::gen::arbitrary<std::vector<std::string>>();
  result.held = drawn_submissions();
  result.turn = drawn<std::uint64_t>();
  return result;
}

inline libpool::hello drawn_hello() {
  return {drawn<libpool::incarnation>(), drawn_number()};
}

inline libpool::demand drawn_demand() {
  return {drawn<std::size_t>(), drawn<std::size_t>(), drawn_time(),
          drawn_time()};
}

inline libpool::welcome drawn_welcome(libpool::worker_number session) {
  auto lease = *rc::gen::inRange<std::int64_t>(1, 86'400'000'000'001);
  return {drawn_number(), session, libpool::duration{lease}};
}

inline libpool::batch_to_pool drawn_batch_to_pool() {
  auto session = drawn<libpool::worker_number>();
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
      return {{}, drawn_hello()};
    case 1:
      return {session, libpool::ready{session}};
    case 2:
      return {session, libpool::beat{session, libpool::instant{drawn_time()},
                                     drawn_time()}};
    case 3:
      return {session, libpool::bye{session}};
    case 4:
      return {session, drawn_ends()};
    case 5:
      return {session,
              libpool::given_back{*rc::gen::arbitrary<bool>(), drawn_tasks()}};
    case 6:
      return {session, libpool::resend{}};
    case 7:
      return {session, drawn_demand()};
    case 8:
      return {session,
              libpool::unread{drawn<libpool::task_number>(), drawn_text()}};
    default:
      return {session, libpool::receipt{drawn_number()}};
  }
}

inline libpool::batch_to_node drawn_batch_to_node() {
  auto session = drawn<libpool::worker_number>();
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
      return {session, drawn_welcome(session)};
    case 1:
      return {session, libpool::beat{session, libpool::instant{drawn_time()},
                                     drawn_time()}};
    case 2:
      return {session, libpool::bye{session}};
    case 3:
      return {session, libpool::tasks_sent{drawn_tasks(), drawn_submissions(),
                                           drawn_submissions()}};
    case 4:
      return {session, libpool::ask_back{drawn<std::size_t>()}};
    case 5:
      return {session, libpool::forget{drawn_tasks()}};
    case 6:
      return {session, libpool::gone{session}};
    case 7:
      return {session, libpool::resend{}};
    case 8:
      return {session, libpool::call{}};
    default:
      return {session, libpool::receipt{drawn_number()}};
  }
}

/// Draws a content for each task of the batch that has one.
template <class Batch>
std::vector<std::string> drawn_contents(const Batch& batch) {
  std::size_t count = 0;
  if constexpr (std::is_same_v<Batch, libpool::batch_to_node>) {
    if (auto* sent = std::get_if<libpool::tasks_sent>(&batch.content))
      count = sent->tasks.size();
  } else {
    if (auto* done = std::get_if<libpool::tasks_done>(&batch.content))
      count = done->ends.size();
  }
  std::vector<std::string> result(count);
  for (auto& each : result)
    each = drawn_text();
  return result;
}

inline std::vector<std::string_view>
views(const std::vector<std::string>& contents) {
  return {contents.begin(), contents.end()};
}

} // namespace test

#pragma once

#include "support/fact_sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace test {

enum class kind : std::uint8_t {
  submit,
  start,
  finish,
  crash,
  fail,
  come_back,
  cancel,
  spare,
  keep,
  refuse,
  tick,
  close,
  desert,
  abandon,
  suspend,
  reinstate,
  suspend_flow,
  reinstate_flow,
  reinstate_all,
  limit,
  // about workers:
  join,
  retire,
  leave,
  pause,
  resume,
  suspend_worker,
  reinstate_worker,
};

/// One fact. Which task or worker it is about depends on what is possible when
/// it is told, unless it is `wild`.
struct fact {
  kind is;
  bool wild;
  bool urgent;
  bool repeatable;
  bool dispatches;
  /// Which task or worker comes first into question.
  std::size_t pick;
  /// How much time has passed before it.
  std::size_t later;
  /// Before the deadline of the task, from 1; 0: it has none.
  std::size_t due_in;
  /// Which of the restrictions, from 1; 0: none.
  std::size_t where;
  /// Which worker is its home, from 1; 0: none.
  std::size_t home;
  /// From which task on one is looked for whose handler waits for it, from 1;
  /// 0: none.
  std::size_t asks;
  /// Its priority, and its key, from 1; 0: none.
  std::size_t level;
  /// Whose it is, and how many seats it wants.
  std::size_t flow;
  std::size_t width;
  /// Which of 8 costs it has, which of 8 moves, and which of two lists of
  /// moves, from 2: none.
  std::size_t cost;
  std::size_t move;
  std::size_t near;
};

/// Limits on the tasks at workers: two bits say those of the pool, two those of
/// each flow, and four those of two flows. `has_rates`: whether rates may be
/// limited.
libpool::throttles decoded_throttles(std::size_t bits, bool has_rates);

settings decoded_settings(const coded_settings& bytes);

fact decoded_fact(const coded_fact& bytes);

/// The policies of the pool, watched, beside their models.
libpool::composition policies_of(const settings& how);

std::string_view name_of(kind is);

} // namespace test

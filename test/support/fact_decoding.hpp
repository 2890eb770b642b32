#pragma once

#include "libpool/policies/catalogue.hpp"
#include "libpool/policies/fair_queuing_options.hpp"
#include "libpool/policies/priority.hpp"
#include "support/dispatcher_witness.hpp"
#include "support/fact_sequence.hpp"
#include "support/watched_order.hpp"
#include "support/watched_placement.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace test {

constexpr std::size_t most_workers = 4;

/// A pool, as the first bytes say.
struct settings : makeup {
  libpool::chosen<libpool::placement> placement = "least_used";
  bool weighs = false;
  std::array<std::size_t, most_workers> windows{};
  std::array<std::size_t, most_workers> seats{};
  /// Where the order goes by flows.
  libpool::fair_queuing_options flows;
  std::size_t joined = 0;
  /// How it is driven to its end.
  unsigned end = 0;
};

enum class kind : std::uint8_t {
  submit,
  start,
  finish,
  crash,
  come_back,
  cancel,
  refuse,
  tick,
  join,
  retire,
  leave,
  pause,
  resume,
  close,
  desert,
  abandon,
};

/// One fact. Which task or worker it is about depends on what is possible when
/// it is told, unless it is `wild`.
struct fact {
  kind is;
  unsigned pick;
  bool wild;
  bool urgent;
  bool repeatable;
  bool dispatches;
  unsigned ms_later;
  /// Before its deadline, from 1; 0: it has none.
  unsigned due_in;
  /// Which of the restrictions, from 1; 0: none.
  unsigned where;
  /// Its priority, and its key, from 1; 0: none.
  unsigned level;
  /// Which worker is its home, from 1; 0: none.
  unsigned home;
  /// Whose it is, and how many seats it wants.
  unsigned flow;
  std::size_t width;
  /// What it costs to move, and, from 1, to do; 0: it does not say that.
  unsigned move_ms;
  unsigned cost_ms;
};

/// The pool that so many bytes say.
/// @pre there are `setting_bytes`
settings decoded_settings(const std::uint8_t* bytes);

/// @pre there are `fact_bytes`
fact decoded_fact(const std::uint8_t* bytes);

/// The policies of the pool, and those among them that are watched.
libpool::composition policies_of(const settings& how, watched_order*& order,
                                 watched_placement*& placement);

std::string text_of(const settings& how);

const char* name_of(kind which);

/// What it is, for people.
std::string text_of(const fact& fact);

} // namespace test

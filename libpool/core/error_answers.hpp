#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/core/pool_figures.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

/// Counts the error answers of a pool: in total, and by error, flow and kind of
/// message.
///
/// Load:    a row for each combination of error, flow and kind. With more than
///          `most_rows` combinations, a new one takes the row of the one that
///          was counted longest ago.
/// Cost:    O(rows) per error answer; none for other answers.
/// Threads: one at a time.
class LIBPOOL_EXPORT error_answers {
public:
  /// Maximum number of rows.
  static constexpr std::size_t most_rows = 64;

  /// Counts an answer. `error`: number that identifies the error. `kind`: name
  /// of the kind of the message; nullptr: unknown. `name_of`: returns the name
  /// of the error; called for a new row only.
  template <class NameOf>
  void note(std::uint64_t error, const flow_key& flow, const std::string* kind,
            NameOf name_of) {
    ++count_;
    auto id = id_of(error, flow, kind);
    auto* known = find(id);
    if (known == nullptr)
      known = &new_row(id, {name_of(), flow.name(),
                            kind != nullptr ? *kind : std::string{}, 0});
    ++known->stats.count;
    known->noted = count_;
  }

  /// Number of error answers.
  std::uint64_t count() const noexcept {
    return count_;
  }

  /// Returns the rows, the largest count first.
  std::vector<error_answer_stats> rows() const;

private:
  struct row {
    std::uint64_t id = 0;
    std::uint64_t noted = 0; // value of `count_` when it was counted last
    error_answer_stats stats;
  };

  static std::uint64_t id_of(std::uint64_t error, const flow_key& flow,
                             const std::string* kind) noexcept;
  row* find(std::uint64_t id) noexcept;
  row& new_row(std::uint64_t id, error_answer_stats stats);

  std::uint64_t count_ = 0;
  std::vector<row> rows_;
};

} // namespace libpool

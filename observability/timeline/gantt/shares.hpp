#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// Share of each colour in each column of the picture. A share of 1 is the
/// whole column: one task for the whole time of the column.
class column_shares {
public:
  explicit column_shares(std::size_t columns);

  /// Adds a span of time. `source` and `target` are fractions of the whole
  /// time.
  void add(std::size_t colour, double source, double target);

  /// Returns the number of spans of the colour.
  std::size_t count(std::size_t colour) const noexcept {
    return colours_[colour].count;
  }

  /// Returns the share of a colour in each column.
  std::vector<double> of(std::size_t colour) const;

  std::size_t columns() const noexcept {
    return columns_;
  }

  /// Returns the maximum, over all columns, of the sum of all shares.
  double most() const;

  static void add_to(std::vector<double>& sums,
                     const std::vector<double>& more);

private:
  struct one_colour {
    std::size_t count = 0;
    std::vector<double> part;
    std::vector<std::int64_t> change;
  };

  std::size_t columns_;
  std::vector<one_colour> colours_;
};

} // namespace libpool::detail

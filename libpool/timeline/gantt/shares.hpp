#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool::detail {

/// How much of each column of the picture each colour takes: 1 is all of it, or
/// one task all the time.
class column_shares {
public:
  explicit column_shares(std::size_t columns);

  /// From and to where, in parts of the whole.
  void add(std::size_t colour, double from, double to);

  /// How often it was added.
  std::size_t count(std::size_t colour) const noexcept {
    return colours_[colour].count;
  }

  /// The share of a colour in each column.
  std::vector<double> of(std::size_t colour) const;

  std::size_t columns() const noexcept {
    return columns_;
  }

  /// The most that all colours together take of a column.
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

#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <vector>

namespace libpool {

/// Exact median of the last `history` samples; for an even number of samples,
/// the lower one of the two in the middle. A few outliers hardly change the
/// median.
///
/// The samples are kept in two sorted halves. The lower half has as many
/// samples as the upper half, or one more, so the median is the last sample of
/// the lower half.
///
/// Cost:    O(log history) per sample; 40 bytes for each sample that is kept,
///          allocated once.
/// Threads: one at a time.
class LIBPOOL_EXPORT moving_median {
public:
  /// Makes a median without samples.
  /// @pre history > 0
  explicit moving_median(std::size_t history);

  moving_median(const moving_median&) = delete;
  moving_median& operator=(const moving_median&) = delete;

  ~moving_median();

  /// Adds a sample, in place of the oldest sample if `history` samples are
  /// kept.
  void add(duration sample) noexcept;

  /// Whether no sample was added.
  bool empty() const noexcept {
    return lower_.empty();
  }

  /// Returns the median.
  /// @pre !empty()
  duration value() const noexcept {
    return lower_.rbegin()->value;
  }

private:
  using hook =
    boost::intrusive::set_member_hook<boost::intrusive::optimize_size<true>>;

  struct node {
    duration value{0};
    bool is_upper = false;
    hook link;

    friend bool operator<(const node& x, const node& y) noexcept {
      return x.value < y.value;
    }
  };

  using half = boost::intrusive::multiset<
    node, boost::intrusive::member_hook<node, hook, &node::link>>;

  void take_out(node& entry) noexcept;
  void put_in(node& entry) noexcept;
  void balance() noexcept;

  std::vector<node> last_; // ring buffer
  std::size_t oldest_ = 0;
  half lower_;
  half upper_;
};

} // namespace libpool

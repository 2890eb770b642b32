#pragma once

#include "libpool/core/instant.hpp"

#include <boost/intrusive/set.hpp>

#include <cstddef>
#include <vector>

namespace libpool {

/// The median of the last samples, exactly; of an even number of them the lower
/// one of both in the middle. A few outliers do not move it.
///
/// The samples are in two sorted halves, the lower of which is never smaller,
/// and larger by at most one; so the median is the last one of the lower half.
///
/// Cost:    O(log history) per sample; 40 bytes for each that counts, allocated
///          once.
/// Threads: one at a time.
class moving_median {
public:
  /// @pre history > 0
  explicit moving_median(std::size_t history);

  moving_median(const moving_median&) = delete;
  moving_median& operator=(const moving_median&) = delete;

  ~moving_median();

  void add(duration sample) noexcept;

  bool empty() const noexcept {
    return lower_.empty();
  }

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

  std::vector<node> last_; // a ring
  std::size_t oldest_ = 0;
  half lower_;
  half upper_;
};

} // namespace libpool

#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/policies/option.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

/// The options of placements that draw lots, and of nothing else.
struct draw_options {
  std::uint64_t seed = 1;
};

std::vector<option> options_in(draw_options& options);

/// The base of placements that draw lots: the workers to draw from, and draws
/// that stay the same until something has been assigned.
class random_placement : public placement {
public:
  void joined(worker& worker, instant now) noexcept override;
  void left(worker& worker, instant now) noexcept override;
  void offered(worker& worker, instant now) noexcept final;
  void withdrawn(worker& worker, instant now) noexcept final;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;
  worker* choose(const task& task, instant now) noexcept final;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept final;

protected:
  struct record : placement_record {
    std::size_t place = 0; // among the offered workers
  };

  explicit random_placement(std::uint64_t seed) noexcept : draws_(seed) {
    draw();
  }

  /// A record of a worker that joins.
  virtual std::unique_ptr<record> make_record() const;

  /// One of `some`, which are not none.
  virtual worker* pick(const std::vector<worker*>& some,
                       instant now) noexcept = 0;

  /// Draws one of so many.
  std::size_t one_of(std::size_t size) const noexcept {
    return splitmix64::scaled(first_, size);
  }

  /// Draws two of `some`; twice the same one if there is no other.
  std::pair<worker*, worker*>
  two_of(const std::vector<worker*>& some) const noexcept;

private:
  void draw() noexcept {
    first_ = draws_.next();
    second_ = draws_.next();
  }

  std::vector<worker*> offered_;
  splitmix64 draws_;
  std::uint64_t first_ = 0;
  std::uint64_t second_ = 0;
};

} // namespace libpool

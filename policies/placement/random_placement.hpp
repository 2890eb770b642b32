#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/core/splitmix64.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/placement/placement_options.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace libpool {

/// Base class of placements that draw workers at random. New numbers are drawn
/// only after a task was assigned, so that a repeated choice for the same task
/// gives the same worker.
class LIBPOOL_EXPORT random_placement : public placement {
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
  /// Data that the placement keeps of one worker.
  struct record : placement_record {
    /// Index of the worker in the list of workers that may be chosen.
    std::size_t place = 0;
  };

  /// Makes a placement for a pool without workers. `seed` is the seed of the
  /// random draws.
  explicit random_placement(std::uint64_t seed) noexcept : draws_(seed) {
    draw();
  }

  /// Makes the data that the placement keeps of a worker that joins.
  virtual std::unique_ptr<record> make_record() const;

  /// Returns the worker of `some` that gets the next task.
  /// @pre !some.empty()
  virtual worker* pick(const std::vector<worker*>& some,
                       instant now) noexcept = 0;

  /// Returns a random number from 0 to `size` - 1. Further calls with the same
  /// `size` return the same number until a task is assigned.
  /// @pre size > 0
  std::size_t one_of(std::size_t size) const noexcept {
    return splitmix64::scaled(first_, size);
  }

  /// Returns two different random workers of `some`. If there is only one
  /// worker, returns this worker twice.
  /// @pre !some.empty()
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

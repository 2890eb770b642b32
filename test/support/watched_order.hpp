#pragma once

#include "libpool/core/order.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace test {

/// Does what another order does, and notes what that is told, above all what it
/// should not have been told.
class watched_order final : public libpool::order {
public:
  explicit watched_order(std::unique_ptr<libpool::order> what);

  // -- facts ------------------------------------------------------------------

  void added(libpool::task& task, libpool::instant now) noexcept override;
  void removed(libpool::task& task, libpool::instant now) noexcept override;
  void dispatched(libpool::task& task, libpool::instant now) noexcept override;
  void held(libpool::task& task, libpool::instant now) noexcept override;
  void freed(libpool::task& task, libpool::instant now) noexcept override;
  void unassigned(libpool::task& task, std::optional<libpool::duration> ran,
                  libpool::instant now) noexcept override;
  void refused(const libpool::task& task) noexcept override;
  void seated(std::size_t seats, libpool::instant now) noexcept override;

  // -- questions --------------------------------------------------------------

  std::int64_t rank(const libpool::task& task) const noexcept override;
  bool is_by_arrival() const noexcept override;
  bool is_timed() const noexcept override;
  bool has_flows() const noexcept override;
  bool has_limits() const noexcept override;
  libpool::errc objection(const libpool::task& task,
                          libpool::instant now) const noexcept override;
  std::vector<libpool::flow_stats> flows(std::size_t most) const override;
  libpool::task* choose(libpool::instant now) noexcept override;

  // -- what it knows ----------------------------------------------------------

  /// What went wrong first; nullptr if nothing has.
  const char* complaint() const noexcept {
    return complaint_;
  }

  /// Whether it knows of no task that waits or is in flight.
  bool is_empty() const noexcept {
    return places_.empty();
  }

  std::uint64_t refusals() const noexcept {
    return refusals_;
  }

  /// Of the workers that are well, as it was told.
  std::size_t seats() const noexcept {
    return seats_;
  }

private:
  enum class place : std::uint8_t { nowhere, queue, held, worker };

  place place_of(const libpool::task& task) const noexcept;
  void move(const libpool::task& task, place from, place to,
            const char* law) noexcept;
  void expect(bool holds, const char* law) noexcept;

  std::unique_ptr<libpool::order> it_;
  std::map<const libpool::task*, place> places_;
  std::uint64_t refusals_ = 0;
  std::size_t seats_ = 0;
  const char* complaint_ = nullptr;
};

} // namespace test

#pragma once

#include "libpool/core/ewma.hpp"
#include "libpool/core/stealing.hpp"
#include "libpool/policies/cost_aware_stealing.hpp"
#include "libpool/policies/stealing_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace test {

/// Whether the worker has nothing, and would take something.
bool is_dry(const libpool::worker& worker);

/// Cost-aware stealing that is told facts as they may come, and chooses what
/// the plan says that it should.
class watched_stealing final : public libpool::stealing {
public:
  explicit watched_stealing(const libpool::cost_aware_options& options);

  // -- facts ------------------------------------------------------------------

  void joined(libpool::worker& server, libpool::instant now) noexcept override;
  void left(libpool::worker& worker, libpool::instant now) noexcept override;
  void idled(libpool::worker& server, libpool::instant now) noexcept override;
  void engaged(libpool::worker& worker, libpool::instant now) noexcept override;
  void assigned(libpool::task& task, libpool::instant now) noexcept override;
  void sent(libpool::task& task, libpool::instant now) noexcept override;
  void unassigned(libpool::task& task, libpool::instant now) noexcept override;
  void began(libpool::task& task, libpool::instant now) noexcept override;
  void ended(libpool::task& task, std::optional<libpool::duration> took,
             libpool::instant now) noexcept override;
  void ticked(libpool::instant now) noexcept override;

  // -- questions --------------------------------------------------------------

  bool has_work() const noexcept override;
  libpool::instant next_tick() const noexcept override;
  std::optional<libpool::takeover>
  choose(libpool::instant now) noexcept override;

  // -- what the test tells ----------------------------------------------------

  /// Is new.
  void forget(const libpool::task& task) {
    costs_.erase(&task);
  }

  void dispatches() {
    moves_.clear();
    planned_.reset();
  }

  // -- what it knows ----------------------------------------------------------

  const std::map<const libpool::worker*, libpool::instant>& idle_since() const {
    return idle_since_;
  }

  /// Of all tasks in flight, and of those that look for some.
  libpool::stealing_snapshot snapshot(libpool::instant now) const;

  /// What moved since it was told of a dispatch, and what was to move then.
  const std::vector<libpool::steal>& moves() const {
    return moves_;
  }

  const std::vector<libpool::steal>& planned() const {
    return planned_ ? *planned_ : nothing_;
  }

  /// When the next of those tasks will have run for as long as it is taken to.
  libpool::instant next_doubling(libpool::instant now) const;

  /// The law that is broken, if one is.
  const char* complaint() const {
    return complaint_;
  }

private:
  enum class place : std::uint8_t { nowhere, deque, mailbox };

  void move(const libpool::task& task, place from, place to,
            const char* law) noexcept;
  void expect(bool holds, const char* law) noexcept;
  libpool::duration estimate(const libpool::task& task) const;
  libpool::stealing_snapshot::task seen(const libpool::task& task,
                                        libpool::instant now) const;

  libpool::cost_aware_options options_;
  libpool::cost_aware_stealing it_;
  std::set<libpool::worker*> workers_;
  std::map<const libpool::worker*, libpool::instant> idle_since_;
  std::map<const libpool::task*, place> places_;
  std::map<const libpool::task*, libpool::duration> costs_;
  std::map<std::uint64_t, libpool::ewma> kinds_;
  /// What was stolen and has not come back.
  std::set<const libpool::task*> stolen_;
  std::vector<libpool::steal> moves_;
  std::optional<std::vector<libpool::steal>> planned_;
  std::vector<libpool::steal> nothing_;
  const char* complaint_ = nullptr;
};

} // namespace test

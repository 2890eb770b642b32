#pragma once

#include "libpool/core/placement.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace test {

/// Does what another placement does, and notes which law is broken by what that
/// is told, or by what it answers.
class watched_placement final : public libpool::placement {
public:
  explicit watched_placement(std::unique_ptr<libpool::placement> real);

  // -- facts ------------------------------------------------------------------

  void joined(libpool::worker& worker, libpool::instant now) noexcept override;
  void left(libpool::worker& worker, libpool::instant now) noexcept override;
  void offered(libpool::worker& worker, libpool::instant now) noexcept override;
  void withdrawn(libpool::worker& worker,
                 libpool::instant now) noexcept override;
  void picked(libpool::worker& worker, const libpool::task& task,
              libpool::instant now) noexcept override;
  void assigned(libpool::worker& worker, libpool::task& task,
                libpool::instant now) noexcept override;
  void began(libpool::worker& worker, libpool::task& task,
             libpool::instant now) noexcept override;
  void measured(libpool::worker& worker, libpool::task& task,
                libpool::ending how, libpool::duration cost,
                libpool::instant now) noexcept override;
  void unassigned(libpool::worker& worker, libpool::task& task,
                  libpool::instant now) noexcept override;

  // -- questions --------------------------------------------------------------

  std::optional<libpool::measure> measures() const noexcept override;
  bool keeps_order(const libpool::task& task) const noexcept override;
  bool is_tied(const libpool::task& task) const noexcept override;
  libpool::worker* choose(const libpool::task& task,
                          libpool::instant now) noexcept override;
  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task& task,
                                libpool::instant now) noexcept override;

  // -- what it knows ----------------------------------------------------------

  /// The law that was broken first; nullptr if none was.
  const char* complaint() const noexcept {
    return complaint_;
  }

private:
  bool is_on(const libpool::task& task, const libpool::worker& worker) const;
  void expect(bool holds, const char* law) noexcept;
  void ask_if_empty(libpool::instant now);

  std::unique_ptr<libpool::placement> real_;
  std::set<libpool::worker*> members_;
  std::set<libpool::worker*> offered_;
  libpool::worker* chosen_ = nullptr;
  std::map<const libpool::task*, const libpool::worker*> on_;
  const char* complaint_ = nullptr;
};

} // namespace test

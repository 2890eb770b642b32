#pragma once

#include "libpool/core/placement.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace test {

/// Does what another placement does, and notes which law is broken by what that
/// is told, or by what it answers: if there is a model, that answers the same.
class watched_placement final : public libpool::placement {
public:
  using owned = std::unique_ptr<libpool::placement>;

  explicit watched_placement(owned real, owned model = nullptr);

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

  /// The law that was broken first; empty if none was.
  const std::string& complaint() const noexcept {
    return complaint_;
  }

private:
  bool is_on(const libpool::task& task, const libpool::worker& worker) const;
  void expect(bool holds, std::string_view law) noexcept;
  void expect_choice(const libpool::worker* chosen,
                     const libpool::worker* modelled) noexcept;
  void ask_if_empty(libpool::instant now);

  /// Tells a fact.
  template <class Fact>
  void tell(Fact fact) {
    fact(*real_);
    if (model_ != nullptr)
      fact(*model_);
  }

  owned real_;
  owned model_;
  std::set<libpool::worker*> members_;
  std::set<libpool::worker*> offered_;
  libpool::worker* chosen_ = nullptr;
  std::map<const libpool::task*, const libpool::worker*> on_;
  std::string complaint_;
};

} // namespace test

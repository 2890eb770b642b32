#pragma once

#include "libpool/core/placement.hpp"
#include "libpool/export.hpp"

#include <boost/intrusive/set.hpp>

#include <optional>
#include <vector>

namespace libpool {

/// Placement that chooses the workers in turn. A worker that leaves does not
/// change the turns of the other workers. A task that goes to the worker that
/// has its data, or that an idle worker takes over, does not count as a turn.
///
/// Order: the order in which the workers joined; if a task gets its worker
///        only when a worker has room (lazy assignment), workers without room
///        are passed over.
/// Cost:  O(log workers) per choice.
class LIBPOOL_EXPORT round_robin final : public placement {
public:
  void offered(worker& worker, instant now) noexcept override;
  void withdrawn(worker& worker, instant now) noexcept override;
  void picked(worker& worker, const task& task, instant now) noexcept override;
  void assigned(worker& worker, task& task, instant now) noexcept override;
  void unassigned(worker& worker, task& task, instant now) noexcept override;

  worker* choose(const task& task, instant now) noexcept override;
  worker* choose_among(const std::vector<worker*>& some, const task& task,
                       instant now) noexcept override;

private:
  using workers_by_number = boost::intrusive::set<
    worker, boost::intrusive::compare<joined_sooner>,
    boost::intrusive::member_hook<worker, boost::intrusive::set_member_hook<>,
                                  &worker::placement_hook>>;

  workers_by_number offered_;
  std::optional<worker_number> last_;
};

} // namespace libpool

/// Runs a placement of its own on the simulator. Needs no CAF.

#include <libpool/core/placement.hpp>
#include <libpool/policies/order/fifo.hpp>
#include <libpool/simulator/simulator.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

/// The worker with the smallest number.
class first_worker final : public libpool::placement {
public:
  void offered(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.push_back(&worker);
  }

  void withdrawn(libpool::worker& worker, libpool::instant) noexcept override {
    offered_.erase(std::find(offered_.begin(), offered_.end(), &worker));
  }

  void assigned(libpool::worker&, libpool::task&,
                libpool::instant) noexcept override {
    // nop
  }

  void unassigned(libpool::worker&, libpool::task&,
                  libpool::instant) noexcept override {
    // nop
  }

  libpool::worker* choose(const libpool::task& task,
                          libpool::instant now) noexcept override {
    return offered_.empty() ? nullptr : choose_among(offered_, task, now);
  }

  libpool::worker* choose_among(const std::vector<libpool::worker*>& some,
                                const libpool::task&,
                                libpool::instant) noexcept override {
    return *std::min_element(some.begin(), some.end(), [](auto* x, auto* y) {
      return x->number < y->number;
    });
  }

private:
  std::vector<libpool::worker*> offered_;
};

int main() {
  libpool::composition parts;
  parts.order = std::make_unique<libpool::fifo>();
  parts.placement = std::make_unique<first_worker>();
  const auto run = libpool::simulate(R"({"workers": [{"count": 8}], "tasks": [
    {"service": "10ms", "count": 100, "every": "4ms"}]})",
                                     std::move(parts));
  const auto used =
    std::count_if(run.workers.begin(), run.workers.end(),
                  [](const auto& each) { return each.completed > 0; });
  return used == 3 && run.counts.completed == 100 ? 0 : 1;
}

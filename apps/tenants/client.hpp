#pragma once

#include "results.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <cstdint>
#include <random>

namespace tenants {

/// One tenant: sends requests until the run is over, waits for the open ones,
/// and ends. Its experience goes to `out`, which has to outlive it.
///
/// An error is counted, and the client goes on; a client that sends as fast as
/// it gets answers takes a short rest first, since errors may come at once.
class client : public caf::event_based_actor {
public:
  client(caf::actor_config& cfg, caf::actor pool, instant end,
         std::uint64_t seed, experience& out);

  caf::behavior make_behavior() override;

private:
  bool floods() const;
  void ask();
  void ask_later();
  void answered(instant sent);
  void failed(instant sent, const caf::error& why);
  void end_if_over();
  duration draw_gap();
  duration draw_work();

  caf::actor pool_;
  const instant end_;
  experience& out_;
  std::mt19937_64 random_;
  std::size_t open_ = 0;
};

} // namespace tenants

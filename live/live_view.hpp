#pragma once

#include "libpool/live/live_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// A page for a browser that shows what pools and pipelines do, while they do
/// it: who waits and for how long, which worker is at what, and in a sentence
/// what is the matter.
///
///     libpool::live_view view;
///     view.add(pool, "hashing");
///     std::cout << view.url() << '\n';
///
/// It is served at these addresses, until this object ends:
///
/// | address                          | what                                  |
/// | -------------------------------- | ------------------------------------- |
/// | /                                | the page; with ?once it is drawn once |
/// | /events                          | what changes, twice a second          |
/// | /api/v1/pools                    | all numbers, as JSON                  |
/// | /api/v1/recent                   | the last minute, as the page draws it |
/// | /trace?seconds=10&pool=NAME      | the last tasks, for ui.perfetto.dev   |
/// | /gantt.svg?seconds=10&pool=NAME  | the same as a picture                 |
/// | /metrics                         | for Prometheus, where that is built   |
/// | POST /api/v1/pools/NAME/drain    | see `actor_pool::drain`               |
/// | POST /api/v1/pools/NAME/resize?n=8 | see `actor_pool::resize`            |
///
/// Pools are asked only while somebody looks, at most twice a second however
/// many look. It keeps no pool alive, and shows none that is gone; it has to
/// end before the actor system.
///
/// Load:    a viewer that does not read costs a thread of the view for two
///          seconds, and the pools nothing.
/// Cost:    to each pool, that of `actor_pool::record`; while somebody looks,
///          also that of `actor_pool::stats` and `actor_pool::recorded` twice a
///          second. To the process, a thread, and one for each viewer.
/// Threads: any.
/// Errors:  std::invalid_argument for an address other than a loopback one
///          without a token, or options out of bounds; std::runtime_error if
///          the port cannot be had.
class live_view {
public:
  explicit live_view(const live_options& options = {});

  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;

  /// Stops the server, whatever viewers do, and recording.
  ~live_view();

  /// Where it listens.
  std::uint16_t port() const noexcept;

  /// The address of the page.
  std::string url() const;

  /// Shows the pool, and has it record its tasks in place of what it has
  /// recorded so far. Of a direct pool only workers and refusals are known.
  ///
  /// Errors: std::invalid_argument if `pool` is none, or the name is empty or
  ///         that of another one.
  void add(const caf::actor& pool, const std::string& name);

  template <class... Signatures>
  void add(const caf::typed_actor<Signatures...>& pool,
           const std::string& name) {
    add(caf::actor_cast<caf::actor>(pool), name);
  }

  /// Shows the pipeline; the pools of its stages are shown if they are added.
  ///
  /// Errors: those of `add`.
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

private:
  class parts;
  std::unique_ptr<parts> parts_;
};

} // namespace libpool

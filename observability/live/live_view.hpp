#pragma once

#include "libpool/actors/pool_ref.hpp"
#include "libpool/export.hpp"
#include "libpool/observability/live/live_options.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace libpool {

/// HTTP server with a page that shows running pools and pipelines in a browser:
/// the waiting tasks of each flow and their waiting times, the task of each
/// worker, and one sentence for each problem that is detected.
///
///     libpool::live_view view;
///     view.add(pool, "hashing");
///     std::cout << view.url() << '\n';
///
/// The server answers requests for these addresses until this object is
/// destroyed:
///
/// | address                          | content                               |
/// | -------------------------------- | ------------------------------------- |
/// | /                                | the page; ?once: without updates      |
/// | /guide                           | causes of slow pools, and remedies    |
/// | /events                          | the state, twice a second             |
/// | /api/v1/pools                    | stats of all pools, as JSON           |
/// | /api/v1/recent                   | history of the last minute, as JSON   |
/// | /api/v1/failed?pool=NAME&from=1  | at most 100 failed messages           |
/// | /api/v1/failed?pool=NAME&n=5     | a failed message                      |
/// | /trace?seconds=10&pool=NAME      | the last tasks, for ui.perfetto.dev   |
/// | /gantt.svg?seconds=10&pool=NAME  | the last tasks, as a picture          |
/// | /metrics                         | for Prometheus, with libpool::metrics |
/// | POST /api/v1/pools/NAME/drain    | see `actor_pool::drain`               |
/// | POST /api/v1/pools/NAME/resize?n=8 | see `actor_pool::resize`            |
/// | POST /api/v1/pools/NAME/pause    | see `actor_pool::pause`; also resume  |
/// | POST /api/v1/pools/NAME/cancel?all=true | see `actor_pool::cancel`       |
/// | POST /api/v1/pools/NAME/again_failed?n=5 | submits the message again     |
/// | POST /api/v1/pools/NAME/drop_failed?n=5  | removes the message           |
///
/// Pools are queried twice a second while there are viewers, for any number of
/// viewers, otherwise once a second for a summary, so that a viewer who comes
/// after an incident sees the last minute. The view does not keep pools alive,
/// and does not show pools that no longer exist. The view must be destroyed
/// before the actor system.
///
/// Load:    a viewer that does not read occupies a connection of the view for
///          2 s, and delays neither the pools nor other viewers. A request
///          about failed messages delays viewers until the servers of the
///          durable queue answer.
/// Cost:    for each pool, the cost of `actor_pool::record`, and of
///          `actor_pool::summary` once a second; while there are viewers,
///          instead the cost of `actor_pool::stats` and `actor_pool::recorded`
///          twice a second. One thread of the process. A trace of 65'536 tasks
///          takes 55 MB until it is sent.
/// Threads: any.
/// Errors:  std::invalid_argument if the address is not a loopback address and
///          the token is empty, or if options are out of bounds;
///          std::runtime_error if the server cannot listen at the port.
class LIBPOOL_EXPORT live_view {
public:
  /// Starts the server.
  explicit live_view(const live_options& options = {});

  live_view(const live_view&) = delete;
  live_view& operator=(const live_view&) = delete;

  /// Stops the server without waiting for viewers, and stops the recordings of
  /// the pools.
  ~live_view();

  /// Returns the port at which the server listens.
  std::uint16_t port() const noexcept;

  /// Returns the address of the page, such as "http://127.0.0.1:8080/".
  std::string url() const;

  /// Shows the pool on the page, and starts a new recording of the pool, which
  /// replaces an earlier recording. For a direct pool, only workers and
  /// refusals are shown.
  ///
  /// Errors: std::invalid_argument if `pool` is not a pool, or if the name is
  ///         empty or is already in use for a pool.
  void add(const pool_ref& pool, const std::string& name);

  /// Shows the pipeline on the page. The pools of its stages are shown only if
  /// they are added as well.
  ///
  /// Errors: std::invalid_argument if `pipeline` is not a pipeline, or if the
  ///         name is empty or is already in use for a pipeline.
  void add_pipeline(const caf::actor& pipeline, const std::string& name);

private:
  class parts;
  std::unique_ptr<parts> parts_;
};

} // namespace libpool

#pragma once

#include "libpool/actors/node_stats.hpp"
#include "libpool/actors/served_pool_terms.hpp"
#include "libpool/export.hpp"
#include "libpool/nodes/protocol/transport.hpp"
#include "libpool/nodes/protocol/work_queue.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace libpool {

/// Whether `pool` is a distributed pool of this process.
LIBPOOL_EXPORT bool is_distributed(const caf::actor& pool) noexcept;

/// Returns the nodes of the distributed pool behind `pool`. Thread-safe.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool.
LIBPOOL_EXPORT nodes_stats nodes_of(const caf::actor& pool);

/// Returns the failed messages of the durable queue that the managed pool
/// behind `pool` serves; nullptr if there is none. The result is valid while
/// the pool serves the queue, and must be released soon. Thread-safe.
LIBPOOL_EXPORT std::shared_ptr<failed_messages>
failed_messages_of(const caf::actor& pool);

namespace detail {

/// Opens a transport by which nodes of other processes join the distributed
/// pool, until the pool ends. `turn` is set if several programs serve the pool
/// in turn, and is higher for later ones. Then the agents of the nodes do not
/// end with the pool, but join the next one.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool;
///         exceptions of `open`.
LIBPOOL_EXPORT void
serve_nodes(const caf::actor& pool, const transport_opener& open,
            std::optional<std::uint64_t> turn = std::nullopt);

/// Lets clients in other programs send messages to the pool behind `pool`,
/// until the pool ends. `open` opens the transport to the clients. Keeps the
/// pool alive.
///
/// Errors: std::invalid_argument if `pool` is empty; exceptions of `open`.
LIBPOOL_EXPORT void serve_clients(const caf::actor& pool,
                                  const client_terms& limits,
                                  const transport_opener& open);

/// Has the pool behind `pool` handle the messages of a durable queue, until the
/// pool ends. Each client of the queue is one sender. A message whose front was
/// lost runs again up to `terms.retries` times, and then fails with
/// `errc::front_lost`. Keeps the pool alive.
///
/// Errors: std::invalid_argument if `pool` is empty; exceptions of `open`.
LIBPOOL_EXPORT void serve_queue(const caf::actor& pool,
                                const queue_terms& terms,
                                const work_queue_opener& open);

/// Has a new worker of the managed pool behind `pool` submit the messages of
/// the pool to a durable queue, and answer them with the results from there.
///
/// Errors: exceptions of `open`.
LIBPOOL_EXPORT void submit_to_queue(const caf::actor& pool,
                                    const submission_terms& terms,
                                    const submission_queue_opener& open);

/// Connects the node `node` of this process to the distributed pool behind
/// `pool`. Returns the transport by which the node sends messages to the pool.
///
/// Errors: std::invalid_argument if `pool` is not a distributed pool.
LIBPOOL_EXPORT std::shared_ptr<transport>
connect_node(const caf::actor& pool,
             const std::shared_ptr<transport_user>& node);

/// Sends the pool an exit message with this reason.
LIBPOOL_EXPORT void end_pool(const caf::actor& pool, const caf::error& why);

} // namespace detail

} // namespace libpool

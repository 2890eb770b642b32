/// The metrics of the nodes of distributed pools.

#include "libpool/metrics/pool_families.hpp"
#include "libpool/metrics/table.hpp"

#include <chrono>

namespace libpool::detail {

namespace {

// NOLINTNEXTLINE(modernize-avoid-c-arrays): counts its rows by itself
constexpr metric<seen_pool> of_distributed[] = {
  {"nodes", gauge, "Nodes of a distributed pool.",
   [](const seen_pool& pool, series& to) { to.add(pool.nodes->nodes.size()); }},
  {"node_slots", gauge, "Number of tasks that a node can run at the same time.",
   [](const seen_pool& pool, series& to) {
     to.add_each("node", pool.nodes->nodes, [](auto& x) { return x.slots; });
   }},
  {"node_in_flight", gauge,
   "Tasks that were sent to a node and have not ended.",
   [](const seen_pool& pool, series& to) {
     to.add_each("node", pool.nodes->nodes,
                 [](auto& x) { return x.in_flight; });
   }},
  {"node_under_way_bytes", gauge,
   "Bytes of message content in flight to a node.",
   [](const seen_pool& pool, series& to) {
     to.add_each("node", pool.nodes->nodes,
                 [](auto& x) { return x.bytes_under_way; });
   }},
  {"node_bandwidth_bytes_per_second", gauge,
   "Bandwidth to a node; 0 while too few bytes were sent to measure it.",
   [](const seen_pool& pool, series& to) {
     to.add_each("node", pool.nodes->nodes,
                 [](auto& x) { return x.bandwidth; });
   }},
  {"node_silence_seconds", gauge, "Time since the last sign of life of a node.",
   [](const seen_pool& pool, series& to) {
     to.add_each("node", pool.nodes->nodes, [](auto& x) {
       return std::chrono::duration<double>{x.silence}.count();
     });
   }},
  {"nodes_joined_total", counter,
   "Number of times that nodes have joined the pool, including nodes that "
   "joined again.",
   [](const seen_pool& pool, series& to) { to.add(pool.nodes->joined); }},
  {"nodes_lost_total", counter,
   "Nodes that were lost: silent for longer than the lease of a node lasts, or "
   "expelled by the pool.",
   [](const seen_pool& pool, series& to) { to.add(pool.nodes->lost); }},
  {"node_messages_resumed_total", counter,
   "Number of times that messages between the pool and nodes were sent again, "
   "because a connection or a server had lost messages.",
   [](const seen_pool& pool, series& to) { to.add(pool.nodes->resumed); }},
  {"servers_unreachable", gauge,
   "Interrupted connections from the pool to servers, for example because the "
   "server is down.",
   [](const seen_pool& pool, series& to) {
     to.add(pool.nodes->unreachable.size());
   }},
};

} // namespace

void append_node_families(const std::vector<seen_pool>& pools,
                          std::vector<prometheus::MetricFamily>& to) {
  append_families(
    of_distributed, pools,
    [](const seen_pool& x) { return x.nodes.has_value(); }, to);
}

} // namespace libpool::detail

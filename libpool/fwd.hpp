#pragma once

/// Declares the types of the public interface, without their members.

#include <cstdint>

namespace libpool {

// -- pools and pipelines ------------------------------------------------------

class actor_pool;
class policy;
struct join_options;
struct managed_options;
struct message_functions;
struct node_options;
struct pipeline;
struct pipeline_options;
struct pool_options;
template <class In, class Out>
class pipeline_plan;

class running_task;
struct selection;

// -- what pools tell ----------------------------------------------------------

enum class errc : std::uint8_t;
enum class outcome : std::uint8_t;
struct agent_state;
struct cancel_counts;
struct failed_item;
struct ledger;
struct member_stats;
struct node_stats;
struct nodes_stats;
struct pipeline_stats;
struct pool_stats;
struct recording;
struct refusal;
struct settled_task;
struct slow_task;
struct stage_stats;

// -- parts of policies --------------------------------------------------------

enum class assignment : std::uint8_t;
enum class measure : std::uint8_t;
enum class worker_number : std::uint64_t;
class dispatcher;
class direct_policy;
class flow_key;
class gather_plan;
class joiner;
class order;
class placement;
class stealing;
struct composition;
struct gathering;
struct recipe;
struct task;
struct worker; // NOLINT(bugprone-forward-declaration-namespace)

} // namespace libpool

/// Snippets of the manual that name headers beside libpool/pool.hpp, each
/// one after its headers; where a component is not built, not those that need
/// it.

#include "libpool/pool.hpp"

#include <caf/blocking_actor.hpp>
#include <caf/event_based_actor.hpp>

#ifndef HAS_CAF_0_17
// CAF 1 wants a number for each type in a message.
namespace compose_a_pipeline {
struct chunk;
struct word_counts;
} // namespace compose_a_pipeline
namespace write_the_programs {
struct order;
} // namespace write_the_programs
CAF_BEGIN_TYPE_ID_BLOCK(guide, caf::first_custom_type_id + 2000)
CAF_ADD_TYPE_ID(guide, (compose_a_pipeline::chunk))
CAF_ADD_TYPE_ID(guide, (std::vector<compose_a_pipeline::chunk>))
CAF_ADD_TYPE_ID(guide, (compose_a_pipeline::word_counts))
CAF_ADD_TYPE_ID(guide, (write_the_programs::order))
CAF_END_TYPE_ID_BLOCK(guide)
#endif

#include "guide/record_runs_1.headers"

namespace record_runs {

void first(const caf::actor& pool) {
#include "guide/record_runs_1.snippet"
}

} // namespace record_runs

#ifdef HAS_CAF_0_17
#  include "guide/write_a_blocking_worker_1.headers"

namespace blocking_workers {

class reader : public caf::blocking_actor {
public:
  using caf::blocking_actor::blocking_actor;

#  include "guide/write_a_blocking_worker_1.snippet"
};

} // namespace blocking_workers
#endif

namespace spawn_workers_with_threads {

struct reader : caf::blocking_actor {
  using caf::blocking_actor::blocking_actor;

  void act() override;
};

struct square_server : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
};

caf::behavior squarer();

void first(caf::actor_system& system) {
#include "guide/spawn_workers_with_threads_1.snippet"
}

} // namespace spawn_workers_with_threads

#include "guide/make_a_policy_of_it_1.headers"
#include "guide/write_the_class_1.headers"

namespace write_your_own_placement {

#include "guide/write_the_class_1.snippet"

caf::behavior squarer();

void second(caf::actor_system& system) {
#include "guide/make_a_policy_of_it_1.snippet"
}

} // namespace write_your_own_placement

#include "guide/make_a_plan_1.headers"
#include "guide/run_it_1.headers"

namespace compose_a_pipeline {

struct chunk {};

using batch = std::vector<chunk>;

struct word_counts {};

std::vector<chunk> split(batch& chunks);
void join(word_counts& all, word_counts some);
void merge(word_counts& into, word_counts&& from);

struct source {
  std::optional<batch> next();
};

struct options {
  std::size_t workers;
};

caf::actor spawn_counter();
libpool::pipeline_options telling(caf::error& failure);

void both(caf::actor_system& system, source files, const options& what,
          word_counts& all, caf::error& failure) {
#include "guide/make_a_plan_1.snippet"
#include "guide/run_it_1.snippet"
}

} // namespace compose_a_pipeline

#if __has_include("libpool/observability/metrics/metrics_collector.hpp")
#  include "guide/metrics_for_prometheus_1.headers"

namespace metrics_for_prometheus {

void first(const caf::actor& pool, const caf::actor& tenants,
           const caf::actor& line) {
#  include "guide/metrics_for_prometheus_1.snippet"
}

} // namespace metrics_for_prometheus
#endif

#if __has_include("libpool/observability/live/live_view.hpp")
#  include "guide/in_a_browser_1.headers"

namespace in_a_browser {

void first(const caf::actor& pool, const caf::actor& line) {
#  include "guide/in_a_browser_1.snippet"
}

} // namespace in_a_browser
#endif

#if __has_include(<caf/io/middleman.hpp>)
#  include "guide/pools_and_cafs_own_nodes_1.headers"
#  include "guide/pools_and_cafs_own_nodes_2.headers"
#  include "guide/pools_and_cafs_own_nodes_3.headers"

namespace pools_and_cafs_own_nodes {

struct squarer : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
};

void first(caf::actor_system& system, const libpool::managed_options& options) {
#  include "guide/pools_and_cafs_own_nodes_1.snippet"
}

void second(caf::actor_system& system, std::uint16_t port) {
#  include "guide/pools_and_cafs_own_nodes_2.snippet"
#  include "guide/pools_and_cafs_own_nodes_3.snippet"
}

} // namespace pools_and_cafs_own_nodes
#endif

#if __has_include("libpool/nodes/serve.hpp")
#  include "guide/a_standby_1.headers"
#  include "guide/serve_a_durable_queue_1.headers"
#  include "guide/submit_with_ids_1.headers"
#  include "guide/write_the_programs_1.headers"
#  include "guide/write_the_programs_2.headers"
#  include "guide/write_the_programs_3.headers"
#  include "guide/write_the_programs_4.headers"

namespace write_the_programs {

using namespace std::chrono_literals;

void first(const std::string& address, const std::string& folder,
           const std::string& me) {
#  include "guide/write_the_programs_1.snippet"
}

void second(caf::actor_system& system, const libpool::nats_options& by){
#  include "guide/write_the_programs_2.snippet"
}

caf::behavior squarer();

void third(caf::actor_system& system, const libpool::nats_options& by) {
#  include "guide/write_the_programs_3.snippet"
}

void fourth(caf::actor_system& system, const libpool::nats_options& by) {
#  include "guide/write_the_programs_4.snippet"
}

void in_turn(const caf::actor& pool, const libpool::pool_address& where) {
#  include "guide/a_standby_1.snippet"
}

void durable(const caf::actor& pool, const libpool::pool_address& where) {
#  include "guide/serve_a_durable_queue_1.snippet"
}

struct order {
  std::string number;
};

void with_ids(caf::actor_system& system, const libpool::pool_address& where) {
#  include "guide/submit_with_ids_1.snippet"
}

} // namespace write_the_programs
#endif

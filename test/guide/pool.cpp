/// Snippets of the manual that need no other header of the library than
/// libpool/pool.hpp: each one in a namespace of its own, among names that are
/// the user's.

#include "libpool/pool.hpp"

#include <caf/event_based_actor.hpp>

#include "guide/a_first_pipeline_1.headers"
#include "guide/a_first_pool_1.headers"
#ifdef HAS_CAF_0_17
#  include "guide/a_program_before_and_after_1.headers"
#endif
#include "guide/a_program_before_and_after_2.headers"
#include "guide/end_a_pool_in_a_given_time_1.headers"
#include "guide/many_requests_at_once_1.headers"
#include "guide/many_requests_at_once_2.headers"
#include "guide/take_a_future_1.headers"
#include "guide/wait_in_a_coroutine_1.headers"

#ifndef HAS_CAF_0_17
// CAF 1 wants a number for each type in a message.
namespace many_tenants {
struct tenant;
}
namespace scatter_and_gather {
struct chunk;
struct word_counts;
} // namespace scatter_and_gather
namespace one_result_for_many {
struct query;
struct document;
} // namespace one_result_for_many
namespace which_node {
struct render_job;
}
namespace frames_of_a_film {
struct frame;
}
namespace send_messages_in_batches {
struct row;
struct row_id;
} // namespace send_messages_in_batches
CAF_BEGIN_TYPE_ID_BLOCK(guide, caf::first_custom_type_id + 2000)
CAF_ADD_TYPE_ID(guide, (many_tenants::tenant))
CAF_ADD_TYPE_ID(guide, (scatter_and_gather::chunk))
CAF_ADD_TYPE_ID(guide, (std::vector<scatter_and_gather::chunk>))
CAF_ADD_TYPE_ID(guide, (scatter_and_gather::word_counts))
CAF_ADD_TYPE_ID(guide, (one_result_for_many::query))
CAF_ADD_TYPE_ID(guide, (one_result_for_many::document))
CAF_ADD_TYPE_ID(guide, (which_node::render_job))
CAF_ADD_TYPE_ID(guide, (frames_of_a_film::frame))
CAF_ADD_TYPE_ID(guide, (send_messages_in_batches::row))
CAF_ADD_TYPE_ID(guide, (send_messages_in_batches::row_id))
CAF_ADD_TYPE_ID(guide, (std::vector<send_messages_in_batches::row>))
CAF_ADD_TYPE_ID(guide, (std::vector<send_messages_in_batches::row_id>))
CAF_END_TYPE_ID_BLOCK(guide)
#endif

// Whole programs: only the global function `main` may end without `return`.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"

namespace a_first_pool {
#include "guide/a_first_pool_1.snippet"
} // namespace a_first_pool

#ifdef HAS_CAF_0_17
namespace coming_from_caf_before {
#  include "guide/a_program_before_and_after_1.snippet"
} // namespace coming_from_caf_before
#endif

namespace coming_from_caf_after {
#include "guide/a_program_before_and_after_2.snippet"
} // namespace coming_from_caf_after

#pragma GCC diagnostic pop

namespace a_first_pipeline {

using a_first_pool::squarer;

void first(caf::actor_system& system) {
#include "guide/a_first_pipeline_1.snippet"
}

} // namespace a_first_pipeline

namespace make_a_managed_pool {

struct squarer : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
};

void first(caf::actor_system& system) {
#include "guide/make_a_managed_pool_1.snippet"
}

} // namespace make_a_managed_pool

namespace give_messages_an_id {

void first() {
#include "guide/give_messages_an_id_1.snippet"
}

} // namespace give_messages_an_id

namespace handlers_that_run_too_long {

void limit() {
#include "guide/limit_the_run_time_1.snippet"
}

void replace(libpool::managed_options& options) {
#include "guide/let_other_workers_stand_in_1.snippet"
}

void drop(libpool::managed_options& options) {
  using namespace std::chrono_literals;
#include "guide/do_not_begin_what_would_end_too_late_1.snippet"
}

} // namespace handlers_that_run_too_long

namespace limit_what_runs {

void first() {
#include "guide/limit_what_runs_1.snippet"
}

void second(const caf::actor& pool) {
#include "guide/limit_what_runs_2.snippet"
}

} // namespace limit_what_runs

namespace let_the_pool_choose_its_number_of_workers {

void first(caf::actor_system& system,
           caf::behavior (*slow_squarer)(caf::event_based_actor*)) {
  using namespace std::chrono_literals;
#include "guide/let_the_pool_choose_its_number_of_workers_1.snippet"
}

} // namespace let_the_pool_choose_its_number_of_workers

namespace drop_what_has_waited_for_too_long {

void first(libpool::managed_options& options) {
  using namespace std::chrono_literals;
#include "guide/drop_what_has_waited_for_too_long_1.snippet"
}

} // namespace drop_what_has_waited_for_too_long

namespace change_shares_weights_and_ageing {

void first(const caf::actor& pool) {
#include "guide/change_shares_weights_and_ageing_1.snippet"
}

} // namespace change_shares_weights_and_ageing

namespace pause_and_resume {

void first(const caf::actor& pool) {
#include "guide/pause_and_resume_1.snippet"
}

} // namespace pause_and_resume

namespace try_again_after_an_error {

void first(libpool::managed_options& options){
#include "guide/try_again_after_an_error_1.snippet"
}

caf::result<int> busy(libpool::duration retry_after) {
#include "guide/wait_as_long_as_a_service_asks_for_1.snippet"
}

void second(libpool::managed_options& options) {
#include "guide/limit_retries_by_a_budget_1.snippet"
#include "guide/wait_as_long_as_a_service_asks_for_2.snippet"
}

} // namespace try_again_after_an_error

namespace give_each_message_a_deadline {

void first(libpool::managed_options& options) {
#include "guide/give_each_message_a_deadline_1.snippet"
}

} // namespace give_each_message_a_deadline

namespace frames_of_a_film {

using clock_type = std::chrono::steady_clock;

struct frame {
  int playhead;
  clock_type::time_point due;
};

void first() {
#include "guide/frames_of_a_film_1.snippet"
}

void second(const caf::actor& pool, int playhead) {
#include "guide/frames_of_a_film_2.snippet"
}

} // namespace frames_of_a_film

namespace cancel_them {

void first(const caf::actor& pool) {
#include "guide/cancel_them_1.snippet"
}

} // namespace cancel_them

namespace let_a_handler_stop {

void draw(const std::string& film, int frame);

#include "guide/let_a_handler_stop_1.snippet"

} // namespace let_a_handler_stop

namespace what_a_pool_tells {

void first(const caf::actor& pool) {
#include "guide/what_a_pool_tells_1.snippet"
}

} // namespace what_a_pool_tells

namespace send_messages_in_batches {

struct row {
  std::string article;
  int number;
};

struct row_id {
  int value;
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, row& x) {
  return libpool::inspect_fields(f, x, "row",
                                 libpool::field{"article", x.article},
                                 libpool::field{"number", x.number});
}

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, row_id& x) {
  return libpool::inspect_fields(f, x, "row_id",
                                 libpool::field{"value", x.value});
}

std::vector<row_id> insert(const std::vector<row>& rows);
void tell(const row_id& id);
void tell(const caf::error& why);

void first(caf::actor_system& system, caf::scoped_actor& self) {
  using namespace std::chrono_literals;
#include "guide/send_messages_in_batches_1.snippet"
}

using libpool::detail::typed_signature;
using row_store = caf::typed_actor<typed_signature<row, row_id>>;
using row_writer =
  caf::typed_actor<typed_signature<std::vector<row>, std::vector<row_id>>>;

row_writer make_row_writer();

void second(caf::actor_system& system,
            const libpool::managed_options& options) {
#include "guide/typed_pools_1.snippet"
}

} // namespace send_messages_in_batches

namespace many_tenants {

struct tenant {
  std::string name;
};

struct server : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
};

void first(caf::actor_system& system) {
#include "guide/give_each_tenant_a_share_1.snippet"
}

} // namespace many_tenants

namespace one_result_for_many {

struct query {
  std::string text;
};

struct document {
  std::string name;
};

struct searcher : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;
};

void first(caf::actor_system& system) {
#include "guide/let_messages_share_a_run_1.snippet"
#include "guide/let_messages_share_a_run_2.snippet"
}

} // namespace one_result_for_many

namespace data_at_workers {

struct shard {
  double bytes;
};

std::optional<std::size_t> owner_of(const shard&);

using many_tenants::server;

void first(caf::actor_system& system) {
#include "guide/send_messages_to_their_data_1.snippet"
}

struct account {
  std::uint64_t number;
};

void second(caf::actor_system& system) {
#include "guide/keep_messages_of_a_key_together_1.snippet"
}

void third(caf::actor_system& system) {
#include "guide/restrict_messages_to_workers_1.snippet"
}

} // namespace data_at_workers

namespace pools_of_pools {

using many_tenants::server;

void first(caf::actor_system& system) {
#include "guide/make_a_pool_of_pools_1.snippet"
}

} // namespace pools_of_pools

namespace write_your_own_policy {

struct signature {
#include "guide/write_the_functor_1.snippet"
};

struct fewest_bytes {
  void resize(std::size_t workers);
  std::size_t next();
  void gave(std::size_t worker, std::size_t bytes);
};

class by_bytes {
public:
  void operator()(caf::actor_system&, libpool::actor_pool::uplock& guard,
                  const libpool::actor_pool::actor_vec& workers,
                  caf::mailbox_element_ptr& element,
                  libpool::execution_context* host) {
    std::size_t size = 1;
#include "guide/write_the_functor_2.snippet"
  }

private:
  fewest_bytes rule_;
};

void third(const std::shared_ptr<std::atomic<int>>& count) {
#include "guide/extend_a_policy_1.snippet"
}

} // namespace write_your_own_policy

namespace scatter_and_gather {

struct chunk {};

using batch = std::vector<chunk>;

struct word_counts {};

void merge(word_counts& into, word_counts&& from);

#include "guide/split_a_message_1.snippet"

void second(){
#include "guide/limit_the_wait_1.snippet"
}

caf::actor
  pool_of(caf::actor_system& system, const std::vector<caf::actor>& workers,
          const libpool::actor_pool::policy& how);

void third(caf::actor_system& system, const std::vector<caf::actor>& replicas) {
#include "guide/ask_several_workers_the_same_1.snippet"
}

} // namespace scatter_and_gather

namespace write_your_own_gather {

struct median_votes : libpool::gather_votes {
  static constexpr std::size_t enough = 3;

#include "guide/write_the_votes_1.snippet"

private:
  std::size_t open_ = 0;
  std::size_t successes_ = 0;
  bool is_impatient_ = false;
};

struct median_of_five : libpool::gather_plan {
  explicit median_of_five(libpool::duration);

  std::unique_ptr<gather_plan> clone() const override;
  std::unique_ptr<libpool::gather_votes> make_votes() const override;

#include "guide/write_the_plan_1.snippet"
};

struct median : libpool::joiner {
  std::unique_ptr<joiner> clone() const override;
  void join(caf::message& result) override;
  caf::message joined() override;
};

void third() {
#include "guide/make_the_answer_1.snippet"
}

} // namespace write_your_own_gather

namespace which_node {

struct render_job {
  std::string cache;
  double size;
};

void first(libpool::node_options& nodes) {
#include "guide/which_node_1.snippet"
}

} // namespace which_node

namespace a_pool_that_loses_nothing {

void send_again_after(libpool::duration time);

void first(const caf::error& error) {
#include "guide/tell_clients_when_to_try_again_1.snippet"
}

} // namespace a_pool_that_loses_nothing

namespace policies {

caf::behavior squarer();

void first(caf::actor_system& system) {
#include "guide/weighted_round_robin_1.snippet"
}

} // namespace policies

namespace requests_from_threads {
#include "guide/many_requests_at_once_1.snippet"
#include "guide/many_requests_at_once_2.snippet"
#include "guide/take_a_future_1.snippet"
#if __cplusplus >= 202002L // as in examples/coroutine.cpp
#  include "guide/wait_in_a_coroutine_1.snippet"
#endif
} // namespace requests_from_threads

namespace shutdown {

void first(caf::actor_system& system, const caf::actor& pool) {
#include "guide/end_a_pool_in_a_given_time_1.snippet"
}

} // namespace shutdown

namespace coming_from_caf {

void add_workers();

void first(const caf::error& why) {
#include "guide/errors_that_differ_1.snippet"
}

} // namespace coming_from_caf

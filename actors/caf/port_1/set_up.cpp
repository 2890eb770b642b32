#include "libpool/actors/set_up.hpp"

#include "libpool/actors/caf/named_error.hpp"
#include "libpool/actors/caf/parcel.hpp"
#include "libpool/actors/caf/port/task_ticket.hpp"
#include "libpool/actors/caf/port/worker_mailbox.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/pipeline.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/selection.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/config_option_adder.hpp>
#include <caf/config_option_set.hpp>
#include <caf/detail/actor_system_config_access.hpp>
#include <caf/detail/mailbox_factory.hpp>
#include <caf/init_global_meta_objects.hpp>

#include <memory>

namespace libpool {

namespace {

class worker_mailboxes final : public caf::detail::mailbox_factory {
public:
  caf::abstract_mailbox* make(caf::scheduled_actor* owner) override {
    return new worker_mailbox(*owner);
  }

  caf::abstract_mailbox* make(caf::blocking_actor*) override {
    return nullptr; // CAF never asks
  }
};

/// Nothing if that was done before.
void add_options(caf::config_option_set& options) {
  if (options.qualified_name_lookup("libpool.metrics") == nullptr)
    caf::config_option_adder{options, "libpool"}.add<bool>(
      "metrics",
      "whether the metrics of the actor system include metrics of pools");
}

} // namespace

void set_up(caf::actor_system_config& config) {
  caf::core::init_global_meta_objects(); // does nothing where CAF_MAIN has
  caf::init_global_meta_objects<caf::id_block::libpool>();
  add_options(config.custom_options());
  caf::detail::actor_system_config_access{config}.mailbox_factory(
    std::make_unique<worker_mailboxes>());
}

} // namespace libpool

#include "libpool/actors/set_up.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/pause_scope.hpp"
#include "libpool/actors/pipeline.hpp"
#include "libpool/actors/pool_stats.hpp"
#include "libpool/actors/selection.hpp"
#include "libpool/core/errc.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace libpool {

namespace {

std::string render_own(std::uint8_t code, caf::atom_value,
                       const caf::message& context) {
  return words_of(static_cast<errc>(code), context);
}

} // namespace

void set_up(caf::actor_system_config& config) {
  config.add_error_category(caf::atom("libpool"), render_own);
  config.add_message_type<pool_stats>("libpool::pool_stats");
  config.add_message_type<pipeline_stats>("libpool::pipeline_stats");
  config.add_message_type<selection>("libpool::selection");
  config.add_message_type<cancel_counts>("libpool::cancel_counts");
  config.add_message_type<pause_scope>("libpool::pause_scope");
  config.add_message_type<std::vector<caf::error>>("libpool::errors");
}

} // namespace libpool

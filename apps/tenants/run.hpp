#pragma once

#include "demand.hpp"
#include "results.hpp"

#include "live_page/live_page.hpp"

#include "libpool/actors/actor_pool.hpp"

#include <string>

namespace tenants {

/// Has all tenants use one pool at once and returns their experiences. Takes as
/// long as the scenario, and until the last answer; no client waits longer than
/// it is patient. The pool is shown meanwhile if that is wanted, and at the
/// same port next time, which is told the first time.
run_result run(const std::string& name, libpool::actor_pool::policy policy,
               const scenario& scenario, live_page::wanted& live);

} // namespace tenants

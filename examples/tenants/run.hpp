#pragma once

#include "demand.hpp"
#include "results.hpp"

#include "libpool/actors/actor_pool.hpp"

#include <string>

namespace tenants {

/// Has all tenants use one pool at once and returns their experiences. Takes as
/// long as the scenario, and until the last answer; no client waits longer than
/// it is patient.
run_result run(const std::string& name, libpool::actor_pool::policy how,
               const scenario& scenario);

} // namespace tenants

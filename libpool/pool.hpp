#pragma once

/// Includes all headers that a program needs to spawn pools. To compose a
/// policy of parts, include libpool/core/composition.hpp, too; to ask pools in
/// threads that are not actors, libpool/actors/submit.hpp.

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/atoms.hpp"
#include "libpool/actors/batch_of.hpp"
#include "libpool/actors/content_function.hpp"
#include "libpool/actors/distributed.hpp"
#include "libpool/actors/join_pool.hpp"
#include "libpool/actors/message_functions.hpp"
#include "libpool/actors/pipeline.hpp"
#include "libpool/actors/set_up.hpp"
#include "libpool/actors/spawn_pool.hpp"
#include "libpool/actors/this_task.hpp"
#include "libpool/fwd.hpp"
#include "libpool/policies/catalogue.hpp"
#include "libpool/version.hpp"

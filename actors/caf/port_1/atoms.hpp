#pragma once

#include "libpool/actors/caf/port/type_ids.hpp" // makes them

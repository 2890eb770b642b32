#pragma once

// Header of `caf::make_message`, whose name depends on the version of CAF.
#include <caf/make_message.hpp>

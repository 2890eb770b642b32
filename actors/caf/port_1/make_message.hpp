#pragma once

// Header that declares `caf::make_message` in this version of CAF.
#include <caf/message.hpp>

#pragma once

// Where caf::make_message is.
#include <caf/message.hpp>

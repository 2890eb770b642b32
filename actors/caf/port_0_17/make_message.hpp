#pragma once

// Where caf::make_message is.
#include <caf/make_message.hpp>

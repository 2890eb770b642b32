#pragma once

#include <caf/allowed_unsafe_message_type.hpp>

// CAF 0.17 has no type IDs.

namespace libpool {

struct named_error;
struct parcel;

} // namespace libpool

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::named_error)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(libpool::parcel)

#pragma once

#include "libpool/core/lease_book.hpp"

namespace test {

/// Waiting message that consists of a number, at least 1.
struct numbered_message {
  int number = 0;
  bool follows = true;

  bool follows_others() const noexcept {
    return follows;
  }

  static void prefetch() noexcept {
    // nop
  }
};

using numbered_lines = libpool::waiting_lines<numbered_message>;
using numbered_line = libpool::waiting_line<numbered_message>;
using numbered_lease = libpool::booked_lease<numbered_message>;
using numbered_book = libpool::lease_book<numbered_message>;

/// The number of the next message, as its worker takes it; 0 if there is none.
inline int take_number(numbered_lease& from, libpool::instant started,
                       libpool::instant ended) {
  const auto* next = from.take_next(started, ended);
  return next != nullptr ? next->number : 0;
}

} // namespace test

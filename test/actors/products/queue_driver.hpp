#pragma once

#include "libpool/core/instant.hpp"
#include "support/listed_queue.hpp"

namespace products {

/// Moves a durable queue on, step by step, and checks what fronts do with their
/// submissions. A submission whose front was lost comes again, as a further
/// attempt; a submission that was put back comes again with another number.
class queue_driver {
public:
  /// Does one thing that the queue can do at the time `now`; returns false if
  /// there is none.
  bool step(std::uint64_t draw, libpool::instant now);

  /// Interrupts or restores the line of the client.
  void set_line(bool is_up);

  bool line_is_up() const {
    return is_up_;
  }

  /// Number of times that a front had a submission when it was lost.
  std::size_t lost() const {
    return lost_;
  }

  /// Number of submissions without a result.
  std::size_t open() const;

  const std::vector<std::string>& violations() const {
    return violations_;
  }

  test::listed_queue queue;

private:
  struct submission {
    std::string id;
    std::string content;
    std::uint64_t attempt = 1;
    std::size_t front = 0;     // number of the front that has it; 0: none
    libpool::instant due{};    // time from which a front can have it
    bool is_confirmed = false; // to the client
    bool is_settled = false;
    bool is_forgotten = false; // by the client
  };

  void look(libpool::instant now);
  submission* taken_from_front(std::uint64_t number, const char* what);

  std::map<std::uint64_t, submission> stored_; // by number
  std::uint64_t last_number_ = 0;
  std::size_t lost_ = 0;
  bool is_up_ = false;
  std::vector<std::string> violations_;
};

} // namespace products

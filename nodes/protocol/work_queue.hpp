#pragma once

#include "libpool/nodes/protocol/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

// A durable queue keeps messages outside of the programs that send and handle
// them. A *submission* is such a message. A client gives it an id, and submits
// it. A front takes it, has its pool handle it, and settles it with the result.
// The queue keeps a submission until it is settled, and gives it to another
// front if the front that has it is lost.

/// A submission that the queue has given to a front.
struct queued_work {
  /// Number of the submission at this front, from 1.
  std::uint64_t number = 0;
  /// Numbers of its takings: this one, and earlier ones whose nodes may have
  /// begun it, see `submission_claims`.
  std::vector<std::uint64_t> takings;
  /// Number of fronts that may have begun the submission, this front included.
  std::uint64_t attempt = 1;
  /// Whether `work_queue::check_earlier` has been called for the submission.
  bool is_checked = false;
  /// Name of the client, as the queue knows it.
  std::string client;
  /// Content of the message.
  received_bytes content;
};

/// Receiver of the calls of a front's queue. The calls come from any thread.
class work_user {
public:
  work_user() = default;
  work_user(const work_user&) = delete;
  work_user& operator=(const work_user&) = delete;
  virtual ~work_user() = default;

  /// Notes a submission, which the front must settle or put back.
  virtual void came(queued_work work) = 0;

  /// Notes that the result of a submission with these takings is stored.
  virtual void settled(const std::vector<std::uint64_t>& takings) = 0;

  /// Notes that another front has taken over the queue, with all nodes of this
  /// front, or that the queue cannot tell whether one has.
  virtual void taken_over() = 0;
};

/// A front's end of a durable queue. If it is destroyed, it stores the results
/// that it has, and the queue gives other submissions to another front.
///
/// Threads: any.
class work_queue {
public:
  work_queue() = default;
  work_queue(const work_queue&) = delete;
  work_queue& operator=(const work_queue&) = delete;
  virtual ~work_queue() = default;

  /// Stores the result of the submission, and then removes the submission.
  virtual void settle(std::uint64_t number, std::string result) = 0;

  /// Moves a submission that has not begun to the end of the queue, after a
  /// pause.
  virtual void put_back(std::uint64_t number) = 0;

  /// Takes submissions from now on.
  virtual void begin() = 0;

  /// Notes that a node joins, or any worker of the front's program, number 0.
  /// Calls `admitted`, in any thread, when the node may get submissions: later
  /// fronts know by then that it may have begun them. Does not call it if
  /// another front has taken over while this front had submissions.
  virtual void node_joined(std::uint64_t node,
                           std::function<void()> admitted) = 0;

  /// Notes that the node gets no more submissions of this front.
  virtual void node_left(std::uint64_t node) = 0;

  /// Checks whether the nodes of the fronts that had the submission earlier
  /// serve this front, as some of `serving`, which have not begun it, and were
  /// seen to serve after the submission came. If so, the earlier attempts do
  /// not count. Then gives the submission to the user once more, unless it has
  /// a result.
  virtual void check_earlier(std::uint64_t number,
                             std::vector<std::uint64_t> serving) = 0;

  /// Takes no further submissions.
  virtual void close() = 0;

  /// Maximum size of a result in bytes.
  virtual std::size_t most_bytes() const noexcept = 0;
};

/// Opens a front's end of a queue. Throws std::runtime_error with the reason if
/// the queue cannot be used.
using work_queue_opener =
  std::function<std::shared_ptr<work_queue>(std::shared_ptr<work_user>)>;

/// Receiver of the calls of a client's queue. The calls come from any thread.
class submission_user {
public:
  submission_user() = default;
  submission_user(const submission_user&) = delete;
  submission_user& operator=(const submission_user&) = delete;
  virtual ~submission_user() = default;

  /// Notes that the queue has stored the submission.
  virtual void accepted(const std::string& id) = 0;

  /// Notes the result of the submission.
  virtual void answered(const std::string& id, received_bytes result) = 0;

  /// Notes that submissions can be stored from now on.
  virtual void came_up() = 0;

  /// Notes that submissions cannot be stored at present, with the reason.
  virtual void went_down(const std::string& why) = 0;
};

/// A client's end of a durable queue. It repeats submissions until the queue
/// has stored them, and more and more rarely until they have a result, since
/// servers can lose what they have stored. It looks for results that it has
/// missed.
///
/// Threads: any.
class submission_queue {
public:
  submission_queue() = default;
  submission_queue(const submission_queue&) = delete;
  submission_queue& operator=(const submission_queue&) = delete;
  virtual ~submission_queue() = default;

  /// Submits a message. If the queue has stored a submission with this id
  /// before, the message does not run again, and gets the result of that
  /// submission.
  virtual void submit(const std::string& id, std::string content) = 0;

  /// Ends the calls for the submission. A submission that the queue has stored
  /// stays there.
  virtual void forget(const std::string& id) = 0;

  /// Maximum size of a content in bytes.
  virtual std::size_t most_bytes() const noexcept = 0;
};

/// Opens a client's end of a queue. Throws std::runtime_error with the reason
/// if the queue cannot be used.
using submission_queue_opener = std::function<std::shared_ptr<submission_queue>(
  std::shared_ptr<submission_user>)>;

} // namespace libpool

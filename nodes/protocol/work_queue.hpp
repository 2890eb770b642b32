#pragma once

#include "libpool/export.hpp"
#include "libpool/nodes/protocol/transport.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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

/// How a submission has failed for good.
struct work_failure {
  /// Name of the error, such as "worker_crashed".
  std::string error;
  /// Text of the error, which names the worker or the node if that is known.
  std::string reason;
  /// Number of attempts, as far as the front knows: one for each front that
  /// took the submission, and one for each further node that it was sent to.
  std::uint64_t attempts = 1;
  /// Name of the last node that the submission was sent to; empty: not known.
  std::string node = {};
  /// Types in the content, such as "int32_t, std::string"; empty: not known.
  std::string kind = {};
  /// Trace of the message, as nodes know it; empty: not known.
  std::string trace = {};
};

/// A failed message: a submission that has failed for good, which the queue
/// keeps for a time.
struct failed_message : work_failure {
  /// Number of the failed message, which no other one of the queue has.
  std::uint64_t number = 0;
  /// Time at which the queue stored the failed message.
  std::chrono::system_clock::time_point time = {};
  /// Names of the client and of the submission, as the queue knows them.
  std::string client = {};
  std::string id = {};
  /// Size of the content in bytes.
  std::size_t bytes = 0;
};

/// Failed messages of a durable queue.
///
/// Cost:    each function except `count` asks the servers, `list` for each
///          message, and waits for each answer for at most two seconds.
/// Threads: any.
/// Errors:  std::runtime_error if the servers do not answer or refuse.
class LIBPOOL_EXPORT failed_messages {
public:
  failed_messages() = default;
  failed_messages(const failed_messages&) = delete;
  failed_messages& operator=(const failed_messages&) = delete;
  virtual ~failed_messages() = default;

  /// Returns the number of failed messages at the last look, which is at most
  /// `durable_options::redelivery` ago; unset if none are kept, or if the
  /// servers have not told it.
  virtual std::optional<std::uint64_t> count() const noexcept = 0;

  /// Returns at most `most` failed messages whose numbers are at least `first`,
  /// by number.
  virtual std::vector<failed_message> list(std::uint64_t first,
                                           std::size_t most) = 0;

  /// Submits the failed message anew, once, however often this is called. The
  /// queue keeps the failed message until the new submission is settled.
  /// Returns false if there is none with the number.
  virtual bool submit_again(std::uint64_t number) = 0;

  /// Removes the failed message. Returns false if there is none with the
  /// number.
  virtual bool drop(std::uint64_t number) = 0;
};

/// Receiver of the calls of a front's queue. The calls come from any thread.
class LIBPOOL_EXPORT work_user {
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
class LIBPOOL_EXPORT work_queue : public failed_messages {
public:
  /// Stores the result of the submission, and then removes the submission.
  /// `failure`: how the submission has failed for good; the queue keeps it as a
  /// failed message, unless the submission has another result already.
  virtual void settle(std::uint64_t number, std::string result,
                      std::optional<work_failure> failure) = 0;

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
class LIBPOOL_EXPORT submission_user {
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
class LIBPOOL_EXPORT submission_queue {
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

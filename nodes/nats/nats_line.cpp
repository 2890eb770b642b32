#include "libpool/nodes/nats/nats_line.hpp"

#include "libpool/nodes/nats/nats_client.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace libpool {

namespace {

constexpr int between_attempts = 100; // milliseconds
constexpr int time_to_flush = 200;    // milliseconds

/// Pause before the next attempt after a server has refused a connection, and
/// time after which a program that is not connected looks for new certificates.
constexpr std::chrono::seconds after_refusal{1};

/// Destroys messages of the C client several at a time: the client has a thread
/// of its own for that, which each call wakes up.
///
/// Threads: any.
class message_bin {
public:
  message_bin() = default;

  message_bin(const message_bin&) = delete;
  message_bin& operator=(const message_bin&) = delete;

  ~message_bin() {
    destroy(messages_);
  }

  /// Destroys the message, now or later.
  void drop(natsMsg* message) {
    std::vector<natsMsg*> full;
    std::unique_lock guard{mutex_};
    messages_.push_back(message);
    bytes_ += static_cast<std::size_t>(natsMsg_GetDataLength(message));
    if (messages_.size() >= most_messages || bytes_ >= most_bytes) {
      full.swap(messages_);
      bytes_ = 0;
    }
    guard.unlock();
    destroy(full);
  }

private:
  static constexpr std::size_t most_messages = 64;
  static constexpr std::size_t most_bytes = std::size_t{64} << 10U;

  static void destroy(const std::vector<natsMsg*>& messages) {
    for (auto* each : messages)
      natsMsg_Destroy(each);
  }

  std::mutex mutex_;
  std::vector<natsMsg*> messages_;
  std::size_t bytes_ = 0; // of their contents
};

std::string unreachable(const char* why) {
  std::string result = "the NATS server cannot be reached";
  return why != nullptr && *why != '\0' ? result + ": " + why : result;
}

/// State for the callbacks of one connection. It lives until the last callback.
struct listener {
  listener(std::shared_ptr<transport_user> the_user, std::size_t name)
    : user(std::move(the_user)), before_name(name) {
    // nop
  }

  void went_up() {
    is_up = true;
    user->came_up();
  }

  /// Reports that the line is down, unless the connection has ended: then the
  /// reason was reported before.
  void went_down(const std::string& why) {
    is_up = false;
    std::unique_lock guard{mutex};
    auto is_told = has_ended;
    guard.unlock();
    if (!is_told)
      user->went_down(why);
  }

  /// Notes that the connection was lost. The NATS library renews it.
  void lost() {
    std::lock_guard guard{mutex};
    is_lost = true;
    changed.notify_all();
  }

  /// Notes that the connection cannot be used any more.
  void ended() {
    std::lock_guard guard{mutex};
    has_ended = true;
    changed.notify_all();
  }

  const std::shared_ptr<transport_user> user;
  const std::size_t before_name; // length of subjects before the sender's name
  const std::shared_ptr<message_bin> used = std::make_shared<message_bin>();
  std::atomic<bool> is_up{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool is_lost = false; // since this was looked at
  bool has_ended = false;
};

using listener_ptr = std::shared_ptr<listener>;

listener& listener_in(void* closure) {
  return **static_cast<listener_ptr*>(closure);
}

void drop(void* closure) {
  delete static_cast<listener_ptr*>(closure);
}

void on_message(natsConnection*, natsSubscription*, natsMsg* message,
                void* closure) {
  auto& listener = listener_in(closure);
  std::shared_ptr<natsMsg> owner{
    message, [bin = listener.used](natsMsg* read) { bin->drop(read); }};
  std::string_view subject{natsMsg_GetSubject(message)};
  subject.remove_prefix(std::min(listener.before_name, subject.size()));
  std::string_view bytes{
    natsMsg_GetData(message),
    static_cast<std::size_t>(natsMsg_GetDataLength(message))};
  listener.user->heard(std::string{subject}, {std::move(owner), bytes});
}

void on_up(natsConnection*, void* closure) {
  listener_in(closure).went_up();
}

void on_down(natsConnection* connection, void* closure) {
  const char* why = nullptr;
  natsConnection_GetLastError(connection, &why);
  listener_in(closure).went_down(unreachable(why));
  listener_in(closure).lost();
}

/// Ends a connection whose subjects the server does not permit. It is renewed
/// later, because the permissions can change. Other errors have no effect,
/// because lost messages are repeated.
void on_error(natsConnection* connection, natsSubscription*, natsStatus status,
              void* closure) {
  if (status != NATS_NOT_PERMITTED)
    return;
  const char* why = nullptr;
  natsConnection_GetLastError(connection, &why);
  listener_in(closure).went_down("the NATS server refuses: "
                                 + std::string{why != nullptr ? why : ""});
  listener_in(closure).ended();
}

void on_closed(natsConnection*, void* closure) {
  listener_in(closure).ended();
  drop(closure);
}

/// A connection that is opened again until `stop` is called. The NATS library
/// renews connections that were lost, but gives up when a server refuses the
/// program, for instance because the server does not know the program yet. The
/// library also keeps the certificates of the first connection: if the files
/// have changed, a connection that was lost is replaced by one with the new
/// certificates.
class lasting_connection {
public:
  lasting_connection(const nats_options& options, nats_subjects subjects,
                     std::shared_ptr<transport_user> user)
    : options_(options), at_(std::move(subjects)), user_(std::move(user)) {
    auto has_names = at_.in.size() >= 2
                     && at_.in.compare(at_.in.size() - 2, 2, ".>") == 0;
    before_name_ = has_names ? at_.in.size() - 1 : at_.in.size();
  }

  /// Connects, again and again, until `stop` is called.
  void run() {
    for (auto next = make_listener(); next != nullptr; next = make_listener()) {
      auto pause = keep(next);
      next->is_up = false;
      drop_connection();
      std::unique_lock guard{mutex_};
      changed_.wait_for(guard, pause, [this] { return is_over_; });
    }
  }

  /// Ends the connection. The last messages are sent first, if the server can
  /// be reached.
  void stop() {
    if (auto connection = connection_that_is_up())
      natsConnection_FlushTimeout(connection.get(), time_to_flush);
    std::lock_guard guard{mutex_};
    is_over_ = true;
    changed_.notify_all();
    if (listener_ != nullptr)
      listener_->ended();
  }

  void say(const std::string& target, std::string_view message) {
    auto connection = connection_that_is_up();
    if (connection == nullptr)
      return;
    auto subject = target.empty() ? at_.out : at_.out + "." + target;
    natsConnection_Publish(connection.get(), subject.c_str(), message.data(),
                           static_cast<int>(message.size()));
  }

  std::size_t most_bytes() const noexcept {
    std::lock_guard guard{mutex_};
    auto most = connection_ != nullptr
                  ? natsConnection_GetMaxPayload(connection_.get())
                  : 0;
    return most > 0 ? static_cast<std::size_t>(most)
                    : std::size_t{1} << 20U; // the default of servers
  }

private:
  /// Returns the listener of a new connection; nullptr after `stop`.
  listener_ptr make_listener() {
    std::lock_guard guard{mutex_};
    if (is_over_)
      return nullptr;
    listener_ = std::make_shared<listener>(user_, before_name_);
    return listener_;
  }

  /// Connects, and waits until the connection has ended. Returns the pause
  /// before the next attempt.
  std::chrono::milliseconds keep(const listener_ptr& listener) {
    subscription_owner subscription;
    options_.read_new_files();
    auto status = connect(listener, subscription);
    if (status != NATS_OK) {
      listener->went_down(unreachable(text_of(status).c_str()));
      return status == NATS_NO_SERVER
               ? std::chrono::milliseconds{between_attempts}
               : after_refusal;
    }
    return waits_for_end_of(*listener)
             ? after_refusal
             : std::chrono::milliseconds{between_attempts};
  }

  /// Returns true when the connection has ended, and false when it was lost and
  /// there are new certificates.
  bool waits_for_end_of(listener& listener) const {
    std::unique_lock guard{listener.mutex};
    auto has_changed = [&listener] {
      return listener.has_ended || listener.is_lost;
    };
    while (!listener.has_ended) {
      if (listener.is_up)
        listener.changed.wait(guard, has_changed);
      else
        listener.changed.wait_for(guard, after_refusal, has_changed);
      auto may_replace = std::exchange(listener.is_lost, false)
                         || !listener.is_up;
      guard.unlock();
      auto is_outdated = may_replace && options_.are_outdated();
      guard.lock();
      if (is_outdated && !listener.has_ended)
        return false;
    }
    return true;
  }

  natsStatus connect(const listener_ptr& listener,
                     subscription_owner& subscription) {
    auto* closure = new listener_ptr{listener}; // until the last callback
    natsOptions_SetReconnectedCB(options_.get(), on_up, closure);
    natsOptions_SetDisconnectedCB(options_.get(), on_down, closure);
    natsOptions_SetErrorHandler(options_.get(), on_error, closure);
    natsOptions_SetClosedCB(options_.get(), on_closed, closure);
    natsConnection* made = nullptr;
    auto status = natsConnection_Connect(&made, options_.get());
    if (status != NATS_OK) {
      drop(closure);
      return status;
    }
    connection_ptr connection{made, natsConnection_Destroy};
    {
      std::lock_guard guard{mutex_};
      connection_ = connection;
    }
    status = subscribe(made, listener, subscription);
    if (status == NATS_OK
        && natsConnection_Status(made) == NATS_CONN_STATUS_CONNECTED)
      listener->went_up();
    return status;
  }

  natsStatus subscribe(natsConnection* connection, const listener_ptr& listener,
                       subscription_owner& subscription) {
    auto* closure = new listener_ptr{listener};
    natsSubscription* made = nullptr;
    auto status = natsConnection_Subscribe(&made, connection, at_.in.c_str(),
                                           on_message, closure);
    if (status == NATS_OK)
      natsSubscription_SetOnCompleteCB(made, drop, closure);
    else
      drop(closure);
    subscription.reset(made);
    return status;
  }

  connection_ptr connection_that_is_up() const {
    std::lock_guard guard{mutex_};
    auto is_up = listener_ != nullptr && listener_->is_up;
    return is_up ? connection_ : nullptr;
  }

  void drop_connection() {
    connection_ptr last; // is destroyed when the mutex is free
    std::lock_guard guard{mutex_};
    last = std::move(connection_);
  }

  renewed_options options_;
  const nats_subjects at_;
  const std::shared_ptr<transport_user> user_;
  std::size_t before_name_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
  listener_ptr listener_;
  connection_ptr connection_;
};

/// Connects in a thread of its own. This thread calls the user when the line
/// comes up or goes down, so the user can destroy the line in this thread.
class nats_line final : public transport {
public:
  nats_line(const nats_options& options, nats_subjects subjects,
            std::shared_ptr<transport_user> user)
    : to_(std::make_shared<lasting_connection>(options, std::move(subjects),
                                               std::move(user))),
      thread_([to = to_] { to->run(); }) {
    // nop
  }

  nats_line(const nats_line&) = delete;
  nats_line& operator=(const nats_line&) = delete;

  ~nats_line() override {
    to_->stop();
    if (thread_.get_id() == std::this_thread::get_id())
      thread_.detach();
    else
      thread_.join();
  }

  void say(const std::string& target, std::string_view message) override {
    to_->say(target, message);
  }

  std::size_t most_bytes() const noexcept override {
    return to_->most_bytes();
  }

private:
  const std::shared_ptr<lasting_connection> to_;
  std::thread thread_;
};

bool stays(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '-';
}

std::string hexadecimal(std::uint64_t number, std::size_t digits) {
  constexpr std::string_view all = "0123456789abcdef";
  std::string result(digits, '0');
  for (; digits > 0; number >>= 4U)
    result[--digits] = all[number & 0xFU];
  return result;
}

nats_subjects of_pool(const nats_options& options, const std::string& pool,
                      const char* in, const char* out) {
  auto base = options.prefix + "." + nats_token(pool) + ".";
  return {base + in + ".>", base + out};
}

/// Returns the subjects at the other end: those of a peer of the pool.
nats_subjects of_peer(const nats_subjects& pool, const std::string& peer,
                      std::uint64_t run) {
  auto name = "." + nats_token(peer) + "." + hexadecimal(run, 16);
  auto without_wildcard = pool.in.substr(0, pool.in.size() - 2);
  return {pool.out + name, without_wildcard + name};
}

} // namespace

std::string nats_token(const std::string& name) {
  std::string result;
  for (auto c : name)
    if (stays(c))
      result += c;
    else
      result += "_" + hexadecimal(static_cast<unsigned char>(c), 2);
  return result.empty() ? "_" : result;
}

nats_subjects subjects_for_nodes(const nats_options& options,
                                 const std::string& pool) {
  return of_pool(options, pool, "front", "node");
}

nats_subjects subjects_for_clients(const nats_options& options,
                                   const std::string& pool) {
  return of_pool(options, pool, "submit", "client");
}

nats_subjects subjects_of_node(const nats_options& options,
                               const std::string& pool, const std::string& node,
                               std::uint64_t run) {
  return of_peer(of_pool(options, pool, "front", "node"), node, run);
}

nats_subjects subjects_of_client(const nats_options& options,
                                 const std::string& pool,
                                 const std::string& client, std::uint64_t run) {
  return of_peer(of_pool(options, pool, "submit", "client"), client, run);
}

std::shared_ptr<transport>
open_nats_line(const nats_options& options, const nats_subjects& subjects,
               std::shared_ptr<transport_user> user) {
  return std::make_shared<nats_line>(options, subjects, std::move(user));
}

} // namespace libpool

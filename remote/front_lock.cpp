#include "libpool/remote/front_lock.hpp"

#include "libpool/remote/nats_client.hpp"
#include "libpool/remote/nats_line.hpp"
#include "libpool/remote/run_of_program.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace libpool {

namespace {

using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;

using jetstream_owner = std::unique_ptr<jsCtx, destroyer<jsCtx_Destroy>>;
using store_owner = std::unique_ptr<kvStore, destroyer<kvStore_Destroy>>;
using entry_owner = std::unique_ptr<kvEntry, destroyer<kvEntry_Destroy>>;
using status_owner = std::unique_ptr<kvStatus, destroyer<kvStatus_Destroy>>;

/// Servers of a cluster keep the keys on three of them.
constexpr std::size_t size_of_cluster = 3;

milliseconds whole_milliseconds(duration time) {
  return std::chrono::duration_cast<milliseconds>(time);
}

} // namespace

class front_lock::holder : public std::enable_shared_from_this<holder> {
public:
  holder(const pool_address& where, duration expires_after, lock_user user)
    : options_(options_for(where.by)),
      bucket_(where.by.prefix + "_fronts"),
      key_(nats_token(where.pool)),
      me_(std::to_string(draw_run())),
      replicas_(where.by.servers.size() >= size_of_cluster ? size_of_cluster
                                                           : 1),
      expires_after_(expires_after),
      user_(std::move(user)) {
    // nop
  }

  void begin() {
    std::thread{[self = shared_from_this()] { self->run(); }}.detach();
  }

  void release() {
    std::lock_guard guard{mutex_};
    is_over_ = true;
    changed_.notify_all();
  }

private:
  void run() {
    std::string last;
    while (!is_over() && revision_ == 0) {
      auto why = last.empty() ? try_to_acquire() : wait_and_acquire();
      if (revision_ == 0 && why != last && !is_over())
        user_.waits(why);
      last = why;
    }
    if (!is_over())
      user_.acquired();
    while (!pause(expires_after_ / 4) && revision_ != 0)
      renew();
    if (revision_ == 0 && !is_over())
      user_.lost("another program serves the pool");
    if (revision_ != 0 && store_ != nullptr)
      kvStore_Delete(store_.get(), key_.c_str());
    close("");
    user_ = {}; // the actor system may end from now on
  }

  /// Gives the program that had the key, and a server that has just started,
  /// time to renew it.
  std::string wait_and_acquire() {
    auto began = steady::now();
    do {
      if (pause(expires_after_ / 4))
        return {};
      if (auto why = open(); !why.empty())
        return why;
      if (!look().empty())
        return "another program serves the pool";
    } while (steady::now() - began < expires_after_ / 2);
    return try_to_acquire();
  }

  /// Returns why the lock is not acquired, unless it is.
  std::string try_to_acquire() {
    if (auto why = open(); !why.empty())
      return why;
    if (create() || look() == me_) // the answer may be lost
      return {};
    return look().empty() ? close("the name of the pool cannot be locked: ")
                          : "another program serves the pool";
  }

  bool create() {
    std::uint64_t made = 0;
    auto status = kvStore_Create(&made, store_.get(), key_.c_str(), me_.data(),
                                 static_cast<int>(me_.size()));
    if (status == NATS_OK)
      revision_ = made;
    return status == NATS_OK;
  }

  bool update() {
    std::uint64_t made = 0;
    auto status = kvStore_Update(&made, store_.get(), key_.c_str(), me_.data(),
                                 static_cast<int>(me_.size()), revision_);
    if (status == NATS_OK)
      revision_ = made;
    return status == NATS_OK;
  }

  /// The lock is lost only if another program has it: while no server can be
  /// reached, nobody can serve the pool.
  void renew() {
    if (!open().empty() || update())
      return;
    auto owner = look();
    if (owner.empty())
      create(); // the key has expired, or no server can be reached
    else if (owner != me_)
      revision_ = 0;
  }

  /// Returns the value of the key, and notes its revision if it is the own one;
  /// empty if there is none or it cannot be read.
  std::string look() {
    kvEntry* raw = nullptr;
    auto status = kvStore_Get(&raw, store_.get(), key_.c_str());
    entry_owner entry{raw};
    if (status != NATS_OK)
      return {};
    const auto* value = static_cast<const char*>(kvEntry_Value(raw));
    std::string result{value, static_cast<std::size_t>(kvEntry_ValueLen(raw))};
    if (result == me_)
      revision_ = kvEntry_Revision(raw);
    return result;
  }

  // -- the store --------------------------------------------------------------

  /// Returns why the store cannot be used, unless it can.
  std::string open() {
    if (store_ != nullptr && !natsConnection_IsClosed(connection_.get()))
      return {};
    close("");
    natsConnection* connection = nullptr;
    if (natsConnection_Connect(&connection, options_.get()) != NATS_OK)
      return close("the NATS server cannot be reached: ");
    connection_ = {connection, natsConnection_Destroy};
    jsOptions waits;
    jsOptions_Init(&waits);
    waits.Wait = std::max(whole_milliseconds(expires_after_ / 6).count(),
                          milliseconds::rep{1});
    jsCtx* jetstream = nullptr;
    if (natsConnection_JetStream(&jetstream, connection, &waits) != NATS_OK)
      return close("JetStream of the NATS server cannot be used: ");
    jetstream_.reset(jetstream);
    return open_store();
  }

  std::string open_store() {
    kvStore* made = nullptr;
    if (js_KeyValue(&made, jetstream_.get(), bucket_.c_str()) != NATS_OK) {
      kvConfig how;
      kvConfig_Init(&how);
      how.Bucket = bucket_.c_str();
      how.History = 1;
      how.TTL = std::chrono::nanoseconds{expires_after_}.count();
      how.Replicas = static_cast<int>(replicas_);
      if (js_CreateKeyValue(&made, jetstream_.get(), &how) != NATS_OK)
        return close("the NATS server has no store for the names of pools: ");
    }
    store_.reset(made);
    kvStatus* raw = nullptr;
    if (kvStore_Status(&raw, made) == NATS_OK) {
      status_owner status{raw};
      expires_after_ = std::chrono::nanoseconds{kvStatus_TTL(raw)};
    }
    return {};
  }

  /// Has the next attempt connect anew. Returns the words and the last error.
  std::string close(const char* words) {
    auto why = words + text_of(NATS_ERR);
    store_.reset();
    jetstream_.reset();
    connection_.reset();
    return why;
  }

  // -- the end ----------------------------------------------------------------

  bool is_over() const {
    std::lock_guard guard{mutex_};
    return is_over_;
  }

  /// Returns true if the lock is released meanwhile.
  bool pause(duration time) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, time, [this] { return is_over_; });
  }

  const options_owner options_;
  const std::string bucket_;
  const std::string key_;
  const std::string me_;
  const std::size_t replicas_;
  duration expires_after_;
  lock_user user_;
  connection_ptr connection_;
  jetstream_owner jetstream_;
  store_owner store_;
  std::uint64_t revision_ = 0; // of the own key; 0: none
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
};

front_lock::front_lock(const pool_address& where, duration expires_after,
                       lock_user user)
  : holder_(std::make_shared<holder>(where, expires_after, std::move(user))) {
  holder_->begin();
}

void front_lock::release() const {
  holder_->release();
}

} // namespace libpool

#include "libpool/nodes/nats/front_lock.hpp"

#include "libpool/nodes/nats/jetstream.hpp"
#include "libpool/nodes/nats/nats_line.hpp"
#include "libpool/nodes/nats/run_of_program.hpp"
#include "libpool/nodes/nats/thread_signal.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace libpool {

namespace {

using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;

using store_owner = std::unique_ptr<kvStore, destroyer<kvStore_Destroy>>;
using entry_owner = std::unique_ptr<kvEntry, destroyer<kvEntry_Destroy>>;
using status_owner = std::unique_ptr<kvStatus, destroyer<kvStatus_Destroy>>;

constexpr duration shortest_expiry = std::chrono::seconds{1};
constexpr duration longest_pause = milliseconds{500};
constexpr duration longest_call = std::chrono::seconds{1};

} // namespace

class front_lock::holder : public std::enable_shared_from_this<holder> {
public:
  holder(const pool_address& where, duration expires_after, lock_user user)
    : jetstream_(where.by),
      bucket_(where.by.prefix + "_fronts"),
      key_(nats_token(where.pool)),
      me_(std::to_string(draw_run())),
      expires_after_(expires_after),
      user_(std::move(user)) {
    // nop
  }

  void begin() {
    std::thread{[self = shared_from_this()] { self->run(); }}.detach();
  }

  void release() {
    signal_.stop();
  }

private:
  /// What is known of the key.
  enum class owner { unknown, none, me, other };

  void run() {
    if (acquire())
      user_.acquired(revision_);
    while (!pause())
      if (!renew()) {
        user_.lost("another program serves the pool");
        break;
      }
    if (revision_ != 0 && jetstream_.is_connected() && update())
      kvStore_Delete(store_.get(), key_.c_str());
    close();
    user_ = {}; // the actor system may end from now on
  }

  // -- before the lock is acquired --------------------------------------------

  /// Returns false if it is released before it has the lock. A key that is
  /// missing has expired if the servers have answered for half of its time.
  /// Before, a program that has the lock may not have been able to renew it.
  bool acquire() {
    std::string last;
    auto answered_since = steady::now();
    while (!is_over()) {
      std::string why = open();
      auto seen = why.empty() ? look() : owner::unknown;
      if (seen == owner::me) // the answer to `create` was lost
        return true;
      if (seen == owner::unknown)
        answered_since = steady::now();
      if (seen == owner::none
          && steady::now() - answered_since >= expires_after_ / 2 && create())
        return true;
      if (seen == owner::other)
        why = "another program serves the pool";
      else if (seen == owner::unknown && why.empty())
        why = close("the name of the pool cannot be locked: ", looked_);
      if (why != last && !why.empty() && !is_over())
        user_.waits(why);
      last = why;
      pause();
    }
    return false;
  }

  bool create() {
    std::uint64_t made = 0;
    auto status = kvStore_Create(&made, store_.get(), key_.c_str(), me_.data(),
                                 static_cast<int>(me_.size()));
    if (status == NATS_OK)
      revision_ = made;
    return status == NATS_OK;
  }

  // -- with the lock ----------------------------------------------------------

  /// Returns false if another program has the lock. While no server can be
  /// reached, the program remains the owner.
  bool renew() {
    if (!open().empty() || update() || is_over())
      return true;
    auto seen = look();
    if (seen == owner::none && !is_over() && !create())
      close(); // maybe the store is missing
    if (seen != owner::other)
      return true;
    revision_ = 0;
    return false;
  }

  bool update() {
    std::uint64_t made = 0;
    auto status = kvStore_Update(&made, store_.get(), key_.c_str(), me_.data(),
                                 static_cast<int>(me_.size()), revision_);
    if (status == NATS_OK)
      revision_ = made;
    return status == NATS_OK;
  }

  /// Looks who has the key, and notes its revision if it is the own one. A
  /// server that lags behind may know an earlier owner.
  owner look() {
    kvEntry* raw = nullptr;
    looked_ = kvStore_Get(&raw, store_.get(), key_.c_str());
    entry_owner entry{raw};
    if (looked_ != NATS_OK)
      return looked_ == NATS_NOT_FOUND ? owner::none : owner::unknown;
    const auto* value = static_cast<const char*>(kvEntry_Value(raw));
    std::string name{value, static_cast<std::size_t>(kvEntry_ValueLen(raw))};
    auto revision = kvEntry_Revision(raw);
    if (name != me_)
      return revision > revision_ ? owner::other : owner::unknown;
    revision_ = revision;
    return owner::me;
  }

  // -- the store --------------------------------------------------------------

  /// Returns why the store cannot be used, unless it can.
  std::string open() {
    if (store_ != nullptr && jetstream_.is_open())
      return {};
    store_.reset();
    auto options =
      jetstream_options(std::min(expires_after_ / 6, longest_call));
    if (auto why = jetstream_.open(options); !why.empty())
      return why;
    kvStore* store = nullptr;
    auto status = js_KeyValue(&store, jetstream_.context(), bucket_.c_str());
    for (auto replicas : {replicas_in_cluster, 1})
      if (status != NATS_OK)
        status = make_store(&store, replicas);
    if (status != NATS_OK)
      return close("the NATS server has no store for the names of pools: ",
                   status);
    store_.reset(store);
    return note_expiry();
  }

  natsStatus make_store(kvStore** store, int replicas) {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = bucket_.c_str();
    config.History = 1;
    config.TTL = expires_after_.count();
    config.Replicas = replicas;
    return js_CreateKeyValue(store, jetstream_.context(), &config);
  }

  /// The program that has made the store has decided when keys expire.
  std::string note_expiry() {
    kvStatus* raw = nullptr;
    if (auto error = kvStore_Status(&raw, store_.get()); error != NATS_OK)
      return close("the store for the names of pools cannot be used: ", error);
    status_owner status{raw};
    duration expiry{kvStatus_TTL(raw)};
    if (expiry < shortest_expiry) {
      close();
      return "keys of the store '" + bucket_
             + "' must expire, after at least 1 s: delete the store";
    }
    if (std::exchange(expires_after_, expiry) == expiry)
      return {};
    close(); // calls must be shorter, or may be longer
    return open();
  }

  void close() {
    store_.reset();
    jetstream_.close();
  }

  /// Has the next attempt connect anew. Returns the words and the error.
  std::string close(const char* words, natsStatus error) {
    auto why = jetstream_.close(words, error);
    store_.reset();
    return why;
  }

  // -- the end ----------------------------------------------------------------

  bool is_over() const {
    return signal_.is_over();
  }

  /// Waits until the next look at the key. Returns true if the lock is released
  /// meanwhile.
  bool pause() {
    return signal_.pause(std::min(expires_after_ / 4, longest_pause));
  }

  jetstream jetstream_;
  const std::string bucket_;
  const std::string key_;
  const std::string me_;
  duration expires_after_;
  lock_user user_;
  store_owner store_;
  natsStatus looked_ = NATS_OK; // of the last look at the key
  std::uint64_t revision_ = 0;  // of the own key; 0: none
  thread_signal signal_;
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

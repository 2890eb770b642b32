#pragma once

#include "libpool/core/instant.hpp"
#include "libpool/nodes/pool_address.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace libpool {

/// What a lock calls, in a thread of its own.
struct lock_user {
  /// Called when the lock is acquired. `turn` is higher than for the program
  /// that had the lock before.
  std::function<void(std::uint64_t turn)> acquired;
  /// Called with the reason why the lock is not acquired yet, each time that
  /// the reason changes.
  std::function<void(const std::string& why)> waits;
  /// Called with the reason why the lock is lost. The lock is not acquired
  /// again.
  std::function<void(const std::string& why)> lost;
};

/// Lock on the name of a pool, which at most one program has at a time: a key
/// in the key-value store of the NATS servers (JetStream). The key expires if
/// the program does not renew it. A program that cannot reach a server goes on
/// as the owner. It loses the lock when it finds that another program has
/// acquired the expired key meanwhile.
///
/// Acquires the lock in a thread of its own, and keeps it until `release`.
/// Copies share the lock.
///
/// Threads: any.
class front_lock {
public:
  /// Begins to acquire the lock on the pool at `where`. A program that does not
  /// renew its key for the time `expires_after` loses the lock; the first
  /// program that uses the store decides about this time.
  ///
  /// Errors: std::runtime_error if the options of the servers cannot be used.
  front_lock(const pool_address& where, duration expires_after, lock_user user);

  /// Ends the calls of the user, and lets another program acquire the lock at
  /// once. Returns immediately. A call that another thread is making can last
  /// longer. May be called more than once.
  void release() const;

private:
  class holder;

  std::shared_ptr<holder> holder_;
};

} // namespace libpool

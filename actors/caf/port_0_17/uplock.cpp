#include "libpool/actors/caf/port/uplock.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

// -- caf_lock_bridge ----------------------------------------------------------

bool caf_lock_bridge::lock_shared() {
  if (!used_.load(std::memory_order_relaxed))
    return false;
  lock_.lock_shared();
  return true;
}

void caf_lock_bridge::unlock_shared() {
  lock_.unlock_shared();
}

caf::detail::shared_spinlock* caf_lock_bridge::take_from(shared_spinlock& own,
                                                         bool held) {
  if (held) {
    own.unlock_shared();
  } else {
    // Alone, so that every guard made from now on sees that CAF's is in use.
    own.upgrade();
    used_.store(true, std::memory_order_relaxed);
    own.unlock();
    lock_.lock_shared();
  }
  return &lock_;
}

// -- uplock::released ---------------------------------------------------------

/// Lets go of the lock, since no caller will get it, and throws.
void uplock::released::fail(const char* why) const {
  if (bridged_)
    bridge_->unlock_shared();
  lock_->unlock_shared();
  throw std::logic_error(std::string{"libpool: "} + why);
}

/// Whether the thread holds another guard of this policy.
bool uplock::released::is_nested() const noexcept {
  auto guards = 0;
  for (auto* i = innermost_; i != nullptr; i = i->outer_)
    if (i->bridge_ == bridge_)
      ++guards;
  return guards > 1;
}

uplock::released::operator shared_spinlock*() const {
  if (bridged_)
    fail("a policy that has upgraded to a lock of CAF cannot upgrade to a lock "
         "of libpool");
  return lock_;
}

uplock::released::operator caf::detail::shared_spinlock*() const {
  if (lock_ == nullptr)
    return nullptr;
  if (bridge_ == nullptr)
    fail("this guard has no lock of CAF: upgrade to libpool::shared_spinlock");
  if (is_nested())
    fail("a dispatch inside another dispatch of the same policy cannot upgrade "
         "to a lock of CAF");
  return bridge_->take_from(*lock_, bridged_);
}

// -- uplock -------------------------------------------------------------------

uplock::uplock(shared_spinlock& lock) : outer_(innermost_) {
  lock.lock_shared();
  held_.lock_ = &lock;
  innermost_ = this;
}

uplock::uplock(policy_lock& lock) : uplock(lock.own) {
  bridge_ = &lock.bridge;
  held_.bridge_ = &lock.bridge;
  held_.bridged_ = lock.bridge.lock_shared();
}

void uplock::unlock() noexcept {
  if (held_.lock_ == nullptr)
    return;
  if (held_.bridged_)
    held_.bridge_->unlock_shared();
  if (std::exchange(exclusive_, false))
    held_.lock_->unlock();
  else
    held_.lock_->unlock_shared();
  held_ = released{};
}

bool uplock::upgrade() noexcept {
  if (std::exchange(exclusive_, true))
    return true;
  return held_.lock_->upgrade();
}

uplock::released uplock::release() noexcept {
  if (std::exchange(exclusive_, false))
    held_.lock_->unlock_and_lock_shared();
  return std::exchange(held_, released{});
}

} // namespace libpool

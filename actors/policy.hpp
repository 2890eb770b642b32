#pragma once

#include "libpool/actors/caf/port/types.hpp"
#include "libpool/actors/direct_policy.hpp"
#include "libpool/actors/managed_setup.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/export.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace libpool {

namespace detail {

template <class F, class Guard>
constexpr bool dispatches_under =
  std::is_invocable_v<F&, caf::actor_system&, Guard&, const actor_vec&,
                      caf::mailbox_element_ptr&, execution_context*>;

template <class F>
bool is_empty(const F&) noexcept {
  return false;
}

template <class Signature>
bool is_empty(const std::function<Signature>& f) noexcept {
  return f == nullptr;
}

template <class Result, class... Args>
bool is_empty(Result (*f)(Args...)) noexcept {
  return f == nullptr;
}

/// Whether `F` is a function object that can be a policy: `F` can be called
/// with a message, the workers, and a lock guard of libpool or of CAF.
template <class F>
constexpr bool dispatches_somehow =
  dispatches_under<F, uplock> || dispatches_under<F, caf_guard>;

/// Name by which errors refer to a policy that is a function object of the
/// user.
constexpr auto functor_name = "the functor of the policy";

/// Whether an argument of type `F` is treated as a policy that is a function
/// object, even if its signature is wrong: a static assertion then states the
/// right signature.
template <class F>
constexpr bool is_meant_as_policy =
  (std::is_class_v<F> || std::is_pointer_v<F>)&&!std::is_convertible_v<
    F, std::unique_ptr<direct_policy>> && !std::is_same_v<F, managed_setup>;

inline caf::actor_system& system_of(const actor_vec& workers) {
  return workers.front()->home_system();
}

/// Policy that calls a function object of the user with a lock guard of
/// libpool, `uplock`.
template <class F>
class LIBPOOL_EXPORT functor_policy final : public direct_policy {
public:
  explicit functor_policy(F f) : f_(std::move(f)) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<functor_policy>(f_);
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    uplock guard{lock_};
    call_user(functor_name, f_, system_of(workers), guard, workers, element,
              host);
  }

  void dispatch_under(uplock& guard, turns&, const actor_vec& workers,
                      caf::mailbox_element_ptr& element,
                      execution_context* host) override {
    call_user(functor_name, f_, system_of(workers), guard, workers, element,
              host);
  }

private:
  F f_;
  policy_lock lock_;
};

/// Policy that calls a function object of the user with a lock guard of the
/// type that `caf::actor_pool` uses. The guard holds a lock of type `caf_lock`.
template <class F>
class LIBPOOL_EXPORT caf_functor_policy final : public direct_policy {
public:
  explicit caf_functor_policy(F f) : f_(std::move(f)) {
    // nop
  }

  std::unique_ptr<direct_policy> clone() const override {
    return std::make_unique<caf_functor_policy>(f_);
  }

  void dispatch(turns&, const actor_vec& workers,
                caf::mailbox_element_ptr& element,
                execution_context* host) override {
    caf_guard guard{lock_};
    call_user(functor_name, f_, system_of(workers), guard, workers, element,
              host);
  }

private:
  F f_;
  caf_lock lock_;
};

} // namespace detail

/// Rule by which a pool dispatches messages: a policy of `actor_pool`, a
/// functor with the signature that `caf::actor_pool` requires, or the setup of
/// a managed pool.
///
/// ~~~
/// void (caf::actor_system&, actor_pool::uplock& guard,
///       const actor_pool::actor_vec& workers, caf::mailbox_element_ptr&
///       element, execution_context* host)
/// ~~~
///
/// `workers` is not empty, and does not change during the call, even if the
/// functor releases or upgrades the guard: a worker that leaves meanwhile is
/// still in the list. A functor can wrap another policy, and call that policy.
///
/// Cost:    policies of libpool hold no lock. Functors run under a shared lock,
///          which costs one atomic exchange, see `shared_spinlock`.
/// Threads: a functor runs in the threads of the senders, concurrently. The
///          functor must protect the state that it changes, by an upgrade of
///          the guard or by atomics. Each pool has its own copy of the policy;
///          copies share no state.
/// Errors:  if a functor throws, the message is refused with
///          `errc::policy_failed`.
class LIBPOOL_EXPORT policy {
public:
  policy() noexcept = default;

  /// Makes an empty policy, which no pool can use.
  policy(std::nullptr_t) noexcept {
    // nop
  }

  /// Makes a policy of direct pools, which pass each message on when the
  /// message arrives. The policy is empty if `direct` is nullptr.
  explicit policy(std::unique_ptr<direct_policy> direct) noexcept
    : how_(std::move(direct)) {
    // nop
  }

  /// Makes a policy of managed pools, which keep each message until a worker
  /// has room.
  explicit policy(managed_setup setup)
    : managed_(std::make_shared<const managed_setup>(std::move(setup))) {
    // nop
  }

  /// Makes a policy of direct pools from a function object. The pool calls `f`
  /// with each message, and `f` sends the message to workers.
  template <class F,
            class = std::enable_if_t<
              !std::is_same_v<F, policy> && detail::is_meant_as_policy<F>>>
  policy(F f) {
    static_assert(
      detail::dispatches_somehow<F>,
      "libpool: a policy must be made by a function of actor_pool, or be a "
      "functor: void (caf::actor_system&, libpool::actor_pool::uplock&, "
      "const libpool::actor_pool::actor_vec&, "
      "caf::mailbox_element_ptr&, execution_context*)");
    if (detail::is_empty(f))
      return;
    if constexpr (detail::dispatches_under<F, uplock>)
      how_ = std::make_unique<detail::functor_policy<F>>(std::move(f));
    else if constexpr (detail::dispatches_somehow<F>)
      how_ = std::make_unique<detail::caf_functor_policy<F>>(std::move(f));
  }

  /// Moves the policy; the source is then empty.
  policy(policy&&) noexcept = default;
  /// Moves the policy; the source is then empty.
  policy& operator=(policy&&) noexcept = default;

  /// Copies the policy; the copies share no state.
  policy(const policy& other)
    : how_(other.how_ != nullptr ? other.how_->clone() : nullptr),
      managed_(other.managed_) {
    // nop
  }

  /// Copies the policy; the copies share no state.
  policy& operator=(const policy& other) {
    return *this = policy{other};
  }

  ~policy() = default;

  /// Exchanges two policies.
  void swap(policy& other) noexcept {
    std::swap(*this, other);
  }

  friend bool operator==(const policy& x, std::nullptr_t) noexcept {
    return !x;
  }

  friend bool operator==(std::nullptr_t, const policy& x) noexcept {
    return !x;
  }

  friend bool operator!=(const policy& x, std::nullptr_t) noexcept {
    return static_cast<bool>(x);
  }

  friend bool operator!=(std::nullptr_t, const policy& x) noexcept {
    return static_cast<bool>(x);
  }

  /// Whether the policy is not empty.
  explicit operator bool() const noexcept {
    return how_ != nullptr || managed_ != nullptr;
  }

  /// Returns the options and parts of a policy of managed pools; nullptr if the
  /// policy is for direct pools.
  const managed_setup* managed() const noexcept {
    return managed_.get();
  }

  /// Sends one message to workers by this policy. Called by function objects
  /// that are policies themselves and use this policy inside. Throws
  /// std::logic_error if this policy is for managed pools.
  /// @pre a policy is set
  void operator()(caf::actor_system&, uplock& guard, const actor_vec& workers,
                  caf::mailbox_element_ptr& element,
                  execution_context* host) const;

  /// Whether the policy may read the content of messages. False if the policy
  /// only passes messages on.
  /// @pre a direct policy is set
  bool looks_at_messages() const noexcept {
    return how_->looks_at_messages();
  }

  /// Sends the message `element` to one or more workers of the list `workers`.
  /// `turn` is the position of round robin, which all calls share. `host` is
  /// the execution unit of the sender; nullptr outside of the scheduler.
  /// @pre a direct policy is set
  void dispatch(turns& turn, const actor_vec& workers,
                caf::mailbox_element_ptr& element, execution_context* host) {
    how_->dispatch(turn, workers, element, host);
  }

private:
  std::unique_ptr<direct_policy> how_;
  std::shared_ptr<const managed_setup> managed_;
  mutable turns turn_; // position of calls by functors
};

} // namespace libpool

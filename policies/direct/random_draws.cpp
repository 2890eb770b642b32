#include "libpool/policies/direct/random_draws.hpp"

#include "libpool/sync/thread_number.hpp"

namespace libpool {

/// Returns the first state of a new stream: a random position in the period of
/// the generator, which is 2^64, so that two streams practically never overlap.
std::uint64_t random_draws::first_state() noexcept {
  auto number = begun_.fetch_add(1, std::memory_order_relaxed);
  return splitmix64::mixed(seed_ + splitmix64::mixed(number + 1));
}

std::uint64_t random_draws::next() noexcept {
  auto& state = streams_[thread_number() % streams_.size()].state;
  auto now = state.load(std::memory_order_relaxed);
  if (now == 0)
    now = first_state();
  now += splitmix64::golden_gamma;
  state.store(now, std::memory_order_relaxed);
  return splitmix64::mixed(now);
}

} // namespace libpool

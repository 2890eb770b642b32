#include "libpool/policies/random_draws.hpp"

#include "libpool/core/thread_number.hpp"

namespace libpool {

namespace {

constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15;

constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

} // namespace

/// Where a new stream begins: a random place in the generator's period of 2^64,
/// so that two streams practically never meet.
std::uint64_t random_draws::first_state() noexcept {
  auto number = begun_.fetch_add(1, std::memory_order_relaxed);
  return mixed(seed_ + mixed(number + 1));
}

std::uint64_t random_draws::next() noexcept {
  auto& state = streams_[thread_number() % streams_.size()].state;
  auto now = state.load(std::memory_order_relaxed);
  if (now == 0)
    now = first_state();
  now += golden_gamma;
  state.store(now, std::memory_order_relaxed);
  return mixed(now);
}

} // namespace libpool

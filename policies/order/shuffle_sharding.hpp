#pragma once

#include "libpool/export.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Assigns each flow (for example, the tasks of one client) a few queues of a
/// fixed number of queues. The queues are chosen by the hash of the flow, as a
/// hand of cards is dealt from a deck. Two flows seldom have all of their
/// queues in common. If one flow fills its queues, other flows therefore nearly
/// always have a queue with room.
///
/// The hash is read as a number in a mixed radix. The base of each digit is the
/// number of cards left in the deck, and the digit selects one of these cards.
/// All hands are therefore equally likely, to within deck^hand / 2^64.
///
/// Source: shuffle sharding (Amazon 2014), as in Kubernetes.
/// Cost:   O(hand^2) for a hand.
class LIBPOOL_EXPORT shuffle_sharding {
public:
  /// Maximum number of queues. In the words of this class, the queues are a
  /// deck of cards.
  static constexpr std::size_t most_cards = 65536;

  /// Whether a hash of 60 bits has enough values to number all possible choices
  /// of `hand` queues, in any order, from `deck` queues.
  static bool can_deal(std::size_t deck, std::size_t hand) noexcept;

  /// Makes an object that chooses `hand` of `deck` queues for each flow.
  /// @pre can_deal(deck, hand), 0 < hand <= deck
  shuffle_sharding(std::size_t deck, std::size_t hand) noexcept
    : deck_(deck), hand_(hand) {
    // nop
  }

  /// Replaces the content of `hand` by the queues of the flow with the hash
  /// `hash`. The queues are different numbers, from 0 to the number of all
  /// queues - 1.
  void deal(std::uint64_t hash, std::vector<std::size_t>& hand) const;

private:
  std::size_t deck_;
  std::size_t hand_;
};

} // namespace libpool

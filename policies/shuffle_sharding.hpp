#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Deals each flow a hand of queues, chosen by the hash of the flow. Two flows
/// seldom have all their queues in common, so a flow that fills its own queues
/// nearly always leaves other flows a queue with room.
///
/// The hash is read as a number in a mixed radix, whose bases are the numbers
/// of cards left; each digit selects the next card among those. All hands are
/// therefore equally likely, to within deck^hand / 2^64. (Shuffle sharding,
/// Amazon 2014; Kubernetes deals in this way.)
///
/// Cost: O(hand^2) for a hand.
class shuffle_sharding {
public:
  /// Maximum number of queues.
  static constexpr std::size_t most_cards = 65536;

  /// Whether 60 bits of a hash suffice to distinguish all such hands.
  static bool can_deal(std::size_t deck, std::size_t hand) noexcept;

  /// @pre can_deal(deck, hand), 0 < hand <= deck
  shuffle_sharding(std::size_t deck, std::size_t hand) noexcept
    : deck_(deck), hand_(hand) {
    // nop
  }

  /// Replaces the content of `hand` by the hand for the hash: different cards
  /// from 0 to the size of the deck - 1.
  void deal(std::uint64_t hash, std::vector<std::size_t>& hand) const;

private:
  std::size_t deck_;
  std::size_t hand_;
};

} // namespace libpool

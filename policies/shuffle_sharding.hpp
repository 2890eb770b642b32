#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Assigns each flow a few queues, chosen by the hash of the flow, as a hand of
/// cards is dealt from a deck. Two flows seldom have all of their queues in
/// common, so a flow that fills its queues nearly always leaves other flows a
/// queue with room.
///
/// The hash is read as a number in a mixed radix. The base of each digit is the
/// number of cards left in the deck, and the digit selects one of these cards.
/// All hands are therefore equally likely, to within deck^hand / 2^64.
///
/// Source: shuffle sharding (Amazon 2014), as in Kubernetes.
/// Cost:   O(hand^2) for a hand.
class shuffle_sharding {
public:
  /// Maximum number of queues, or cards in the deck.
  static constexpr std::size_t most_cards = 65536;

  /// Whether a hash of 60 bits can distinguish all hands of `hand` cards from a
  /// deck of `deck` cards.
  static bool can_deal(std::size_t deck, std::size_t hand) noexcept;

  /// Makes a deck of `deck` cards, from which hands of `hand` cards are dealt.
  /// @pre can_deal(deck, hand), 0 < hand <= deck
  shuffle_sharding(std::size_t deck, std::size_t hand) noexcept
    : deck_(deck), hand_(hand) {
    // nop
  }

  /// Replaces the content of `hand` by the cards for `hash`. The cards are
  /// different numbers, from 0 to the size of the deck - 1.
  void deal(std::uint64_t hash, std::vector<std::size_t>& hand) const;

private:
  std::size_t deck_;
  std::size_t hand_;
};

} // namespace libpool

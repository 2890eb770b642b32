#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace libpool {

/// Deals each flow a hand of queues by its hash. Two flows seldom have all
/// their queues in common, so one that fills its own leaves the others nearly
/// always somewhere to go.
///
/// The digits of the hash, in a system whose bases are the numbers of cards
/// that are left, say which of these is dealt next. So all hands are equally
/// likely, to within deck^hand / 2^64. (Shuffle sharding, Amazon 2014; this way
/// of dealing is that of Kubernetes.)
///
/// Cost: O(hand^2) for a hand.
class shuffle_sharding {
public:
  static constexpr std::size_t most_cards = 65536;

  /// Whether hashes have enough bits, 60, to tell so many hands apart.
  static bool can_deal(std::size_t deck, std::size_t hand) noexcept;

  /// @pre can_deal(deck, hand), 0 < hand <= deck
  shuffle_sharding(std::size_t deck, std::size_t hand) noexcept
    : deck_(deck), hand_(hand) {
    // nop
  }

  /// The hand for the hash: cards from 0 to `deck` - 1, each at most once.
  /// `hand` is overwritten.
  void deal(std::uint64_t hash, std::vector<std::size_t>& hand) const;

private:
  std::size_t deck_;
  std::size_t hand_;
};

} // namespace libpool

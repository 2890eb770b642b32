#include "libpool/policies/order/shuffle_sharding.hpp"

namespace libpool {

bool shuffle_sharding::can_deal(std::size_t deck, std::size_t hand) noexcept {
  auto left = std::uint64_t{1} << 60U;
  for (std::size_t i = 0; i < hand && left > 0; ++i)
    left /= deck - i;
  return left > 0;
}

void shuffle_sharding::deal(std::uint64_t hash,
                            std::vector<std::size_t>& hand) const {
  hand.clear();
  for (std::size_t i = 0; i < hand_; ++i) {
    hand.push_back(hash % (deck_ - i));
    hash /= deck_ - i;
  }
  // At this point, each card is an index among the cards that were left when
  // the card was dealt. The loops convert indices to cards, beginning with the
  // last one: an index grows by 1 for each earlier card that was taken at or
  // below the index.
  for (auto i = hand.size(); i-- > 1;)
    for (auto before = i; before-- > 0;)
      if (hand[i] >= hand[before])
        ++hand[i];
}

} // namespace libpool

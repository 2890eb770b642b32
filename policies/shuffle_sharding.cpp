#include "libpool/policies/shuffle_sharding.hpp"

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
  // So far each card is a place among the cards that were left when it was
  // dealt. From the last one back, it moves up for each one that had gone
  // before it from there or from below.
  for (auto i = hand.size(); i-- > 1;)
    for (auto before = i; before-- > 0;)
      if (hand[i] >= hand[before])
        ++hand[i];
}

} // namespace libpool

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace libpool {

/// A hash table of items. An item is a number, for example an index in an array
/// of the caller. The hashes of all items must differ. `HashOf` is a function
/// that returns the hash of an item. The table stores half of each hash, so
/// that a search calls `HashOf` almost only for the item that is found.
///
/// The table uses open addressing in one array, which is at most half full.
///
/// Cost: O(1) if the low bits of the hashes are uniformly distributed;
///       allocates only to grow.
template <class HashOf>
class slot_table {
public:
  /// Number that identifies an item. The user of the table assigns the numbers.
  using number = std::uint32_t;

  /// Makes an empty table. `hash_of` returns the hash of an item.
  explicit slot_table(HashOf hash_of)
    : hash_of_(std::move(hash_of)), places_(64) {
    // nop
  }

  /// Returns the number of items.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Returns the item with the hash `hash`; `std::nullopt` if there is none.
  std::optional<number> find(std::uint64_t hash) const noexcept {
    for (auto i = home_of(hash);; i = after(i)) {
      const auto& place = places_[i];
      if (place.item == nothing)
        return std::nullopt;
      if (place.tag == tag_of(hash) && hash_of_(place.item) == hash)
        return place.item;
    }
  }

  /// Adds the item.
  /// @pre the table has no item with the same hash
  void insert(number item) {
    if (2 * (size_ + 1) > places_.size())
      grow();
    ++size_;
    put(item);
  }

  /// Removes the item.
  /// @pre the item is in the table
  void erase(number item) noexcept {
    auto gap = home_of(hash_of_(item));
    while (places_[gap].item != item)
      gap = after(gap);
    --size_;
    for (auto i = after(gap); places_[i].item != nothing; i = after(i))
      if (steps(home_of(hash_of_(places_[i].item)), i) >= steps(gap, i))
        places_[std::exchange(gap, i)] = places_[i];
    places_[gap] = {};
  }

private:
  static constexpr auto nothing = static_cast<number>(-1);

  struct entry {
    std::uint32_t tag = 0;
    number item = nothing;
  };

  static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32U);
  }

  std::size_t home_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (places_.size() - 1);
  }

  std::size_t after(std::size_t i) const noexcept {
    return (i + 1) & (places_.size() - 1);
  }

  /// Returns the number of steps from the index `first` forward to the index
  /// `last`. The first index follows the last one.
  std::size_t steps(std::size_t first, std::size_t last) const noexcept {
    return (last - first) & (places_.size() - 1);
  }

  void put(number item) noexcept {
    auto hash = hash_of_(item);
    auto i = home_of(hash);
    while (places_[i].item != nothing)
      i = after(i);
    places_[i] = {tag_of(hash), item};
  }

  void grow() {
    auto before = std::exchange(places_,
                                std::vector<entry>(2 * places_.size()));
    for (const auto& each : before)
      if (each.item != nothing)
        put(each.item);
  }

  HashOf hash_of_;
  std::vector<entry> places_; // size: a power of two
  std::size_t size_ = 0;
};

} // namespace libpool

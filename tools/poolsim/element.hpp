#pragma once

#include "times.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace poolsim {

/// An error in a scenario, with its path: `/workers/0/count: must be at least
/// 1`.
class invalid_scenario : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Returns a key in the syntax of JSON pointers.
std::string escaped_key(std::string_view key);

/// Returns the names, separated by commas.
std::string listed(const std::vector<std::string_view>& names);

/// Returns "; did you mean 'name'?" with the name that `given` is closest to;
/// empty if no name is close.
std::string suggestion(std::string_view given,
                       const std::vector<std::string_view>& names);

/// A value of a JSON document with its path, so that an error can name the
/// path. An element refers to the document and to the element that contains it.
///
/// Errors: invalid_scenario if a value is not of the requested kind.
class element {
public:
  explicit element(const nlohmann::json& document) : value_(&document) {
    // nop
  }

  [[noreturn]] void fail(const std::string& why) const;

  /// Throws an error with the required bound and the value.
  [[noreturn]] void fail_bound(const std::string& bound) const;

  /// Throws an error with the path of the member `key`, which may be missing.
  [[noreturn]] void fail_at(std::string_view key, const std::string& why) const;

  std::string path() const;

  // -- objects ----------------------------------------------------------------

  bool is_object() const noexcept;

  /// Requires an object with no other keys than `known`.
  ///
  /// Errors: invalid_scenario if the element is not an object, or has another
  ///         key. The error lists the known keys.
  void expect_keys(const std::vector<std::string_view>& known) const;

  std::vector<std::string_view> keys() const;

  /// Returns the value of the key; unset if it is missing.
  std::optional<element> find(std::string_view key) const;

  /// Returns the value of the key.
  ///
  /// Errors: invalid_scenario if the key is missing.
  element at(std::string_view key) const;

  // -- lists ------------------------------------------------------------------

  bool is_list() const noexcept;

  /// Returns the number of elements.
  ///
  /// Errors: invalid_scenario if the element is not a list.
  std::size_t size() const;

  /// Returns the element at `index`.
  /// @pre the element is a list with more than `index` elements
  element at(std::size_t index) const;

  // -- values -----------------------------------------------------------------

  bool truth() const;
  const std::string& text() const;

  /// Returns the text, which must be one of `names`.
  const std::string& one_of(const std::vector<std::string_view>& names) const;

  /// Returns a number that is not negative.
  double amount() const;

  /// Returns a number above 0.
  double factor() const;

  std::int64_t integer(std::int64_t low, std::int64_t high) const;

  /// Returns an integer of 64 bits, signed or unsigned.
  std::uint64_t bits() const;

  std::size_t count(std::size_t low, std::size_t high) const;

  /// Returns the number of a worker, from 0 to `workers` - 1.
  /// @pre workers > 0
  std::size_t number_of(std::size_t workers) const;

  /// Returns a time that is not negative.
  duration time() const;

  duration time_above_zero() const;

  duration time_of_any_sign() const;

  /// Returns a single time, or a list of exactly `many` times, one for each
  /// item of the kind `kind`.
  std::vector<duration> one_or(std::size_t many,
                               std::string_view kind = "worker") const;

private:
  element(const nlohmann::json& value, const element& parent,
          std::string_view key, std::size_t index)
    : value_(&value), parent_(&parent), key_(key), index_(index) {
    // nop
  }

  const nlohmann::json* value_;
  const element* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

} // namespace poolsim

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

/// An error in a scenario, behind its path: `/workers/0/count: must be at least
/// 1`.
class invalid_scenario : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A key as JSON pointers have it.
std::string escaped_key(std::string_view key);

/// The names with commas between them.
std::string listed(const std::vector<std::string_view>& names);

/// "; did you mean 'name'?", with the name that `given` was probably meant to
/// be; empty if there is none.
std::string suggestion(std::string_view given,
                       const std::vector<std::string_view>& names);

/// A value of a JSON document that knows where it is, so that whatever is wrong
/// with it can be told with its path. It refers to the document, and to the
/// element that it is part of.
///
/// Errors: invalid_scenario where a value is not what it is asked for.
class element {
public:
  explicit element(const nlohmann::json& document) : value_(&document) {
    // nop
  }

  [[noreturn]] void fail(const std::string& why) const;

  /// Fails at the member of that key, which may be missing.
  [[noreturn]] void fail_at(std::string_view key, const std::string& why) const;

  std::string path() const;

  // -- objects ----------------------------------------------------------------

  bool is_object() const noexcept;

  /// Requires an object with no other keys than `known`.
  ///
  /// Errors: the element is not an object, or has another key. The error lists
  /// the known keys.
  void expect_keys(const std::vector<std::string_view>& known) const;

  std::vector<std::string_view> keys() const;

  /// The value of that key, if it is there.
  std::optional<element> find(std::string_view key) const;

  /// Errors: it is not there.
  element at(std::string_view key) const;

  // -- lists ------------------------------------------------------------------

  bool is_list() const noexcept;

  /// Errors: it is no list.
  std::size_t size() const;

  /// @pre it is a list of more than `index`
  element at(std::size_t index) const;

  // -- values -----------------------------------------------------------------

  bool truth() const;
  const std::string& text() const;

  /// The text, which must be one of these.
  const std::string& one_of(const std::vector<std::string_view>& names) const;

  /// Any that a number above 0 may be.
  double factor() const;

  std::int64_t integer(std::int64_t low, std::int64_t high) const;

  /// An integer of 64 bits, whatever its sign.
  std::uint64_t bits() const;

  std::size_t count(std::size_t low, std::size_t high) const;

  /// A worker's number, from 0 to `workers` - 1.
  /// @pre workers > 0
  std::size_t number_of(std::size_t workers) const;

  /// Not negative.
  duration time() const;

  duration time_above_zero() const;

  duration time_of_any_sign() const;

  /// One time, or a list of so many, each for one of that kind.
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

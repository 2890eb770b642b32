#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/option.hpp"
#include "libpool/policies/requirement.hpp"

#include <any>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace libpool {

/// One policy as users name it.
struct policy_entry {
  std::string_view name;
  std::string_view summary;
};

/// An order, a placement, a stealing or a gather as users name it: with the
/// options that it takes, in a struct of its own.
template <class Seam>
struct part_entry : policy_entry {
  /// How tasks must be bound with it, if that matters.
  std::optional<libpool::assignment> needs;
  /// Whether it goes by the weights of workers.
  bool weighs = false;
  /// Its options as they are by default.
  std::any defaults;
  /// The options in such a struct.
  std::vector<option> (*options_in)(std::any& options) = nullptr;
  /// Makes it with such a struct, or with the defaults if that is empty.
  ///
  /// Errors: std::invalid_argument for another struct, or an option that is out
  ///         of bounds, which is named.
  std::unique_ptr<Seam> (*make)(const std::any& options) = nullptr;
};

using order_entry = part_entry<order>;
using placement_entry = part_entry<placement>;
using stealing_entry = part_entry<stealing>;
using gather_entry = part_entry<gather_plan>;

/// Errors: std::invalid_argument names the choices.
const order_entry& order_named(std::string_view name);
const placement_entry& placement_named(std::string_view name);
const stealing_entry& stealing_named(std::string_view name);
const gather_entry& gathering_policy_named(std::string_view name);

/// An order, a placement, a stealing or a gather that is chosen by name, with
/// its options.
///
/// Errors: std::invalid_argument for a name that is unknown, which lists the
///         choices, and for options of another part.
template <class Seam>
class chosen {
public:
  /// With its options as they are by default.
  chosen(std::string_view name);

  chosen(const char* name) : chosen(std::string_view{name}) {
    // nop
  }

  chosen(const std::string& name) : chosen(std::string_view{name}) {
    // nop
  }

  template <class Options>
  chosen(std::string_view name, Options options) : chosen(name) {
    if (options_.type() != typeid(Options))
      throw option_error(std::string{name} + ": takes other options");
    options_ = std::move(options);
  }

  const part_entry<Seam>& entry() const noexcept {
    return *entry_;
  }

  std::string_view name() const noexcept {
    return entry_->name;
  }

  /// Its options, to be looked at or changed where their struct is not known.
  /// They refer to this object.
  std::vector<option> options() & {
    return entry_->options_in(options_);
  }

  /// Its options; nullptr if they are no such struct.
  template <class Options>
  Options* options_as() noexcept {
    return std::any_cast<Options>(&options_);
  }

  /// Errors: std::invalid_argument names the option that is out of bounds.
  std::unique_ptr<Seam> make() const {
    return entry_->make(options_);
  }

private:
  const part_entry<Seam>* entry_;
  std::any options_;
};

template <>
chosen<order>::chosen(std::string_view name);
template <>
chosen<placement>::chosen(std::string_view name);
template <>
chosen<stealing>::chosen(std::string_view name);
template <>
chosen<gather_plan>::chosen(std::string_view name);

} // namespace libpool

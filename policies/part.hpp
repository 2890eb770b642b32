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

/// Name and one-line summary of a policy, as shown to users.
struct policy_entry {
  /// Name of the policy.
  std::string_view name;
  /// Summary in one line.
  std::string_view summary;
};

/// Catalogue entry of a part of a policy: an order, a placement, a stealing
/// policy or a gather plan. Each part has its own struct of options.
template <class Seam>
struct part_entry : policy_entry {
  /// Assignment of tasks that the part requires, lazy or eager; unset: the part
  /// works with both.
  std::optional<libpool::assignment> needs;
  /// Whether the part uses the weights of workers.
  bool weighs = false;
  /// Struct of options of the part, with default values.
  std::any defaults;
  /// Returns descriptions of the options in `options`. The descriptions refer
  /// to the values in `options`.
  /// @pre `options` holds the struct of this part
  std::vector<option> (*options_in)(std::any& options) = nullptr;
  /// Makes the part with the given options, or with default options if
  /// `options` is empty.
  ///
  /// Errors: std::invalid_argument if `options` holds the struct of another
  ///         part, or if an option is out of bounds; the error names the
  ///         option.
  std::unique_ptr<Seam> (*make)(const std::any& options) = nullptr;
};

/// Catalogue entry of an order.
using order_entry = part_entry<order>;
/// Catalogue entry of a placement.
using placement_entry = part_entry<placement>;
/// Catalogue entry of a stealing policy.
using stealing_entry = part_entry<stealing>;
/// Catalogue entry of a gather plan.
using gather_entry = part_entry<gather_plan>;

/// Returns the catalogue entry of the order `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
const order_entry& order_named(std::string_view name);
/// Returns the catalogue entry of the placement `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
const placement_entry& placement_named(std::string_view name);
/// Returns the catalogue entry of the stealing policy `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
const stealing_entry& stealing_named(std::string_view name);
/// Returns the catalogue entry of the gather plan `name`.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
const gather_entry& gathering_policy_named(std::string_view name);

/// A part of a policy, chosen by name, with its options. The part is an order,
/// a placement, a stealing policy or a gather plan.
///
/// Errors: std::invalid_argument if the name is unknown, or if the options
///         belong to another part. An error for an unknown name lists the known
///         names.
template <class Seam>
class chosen {
public:
  /// Chooses the part `name` with its default options.
  chosen(std::string_view name);

  /// Chooses the part `name` with its default options.
  chosen(const char* name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part `name` with its default options.
  chosen(const std::string& name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part `name` with the given options.
  template <class Options>
  chosen(std::string_view name, Options options) : chosen(name) {
    if (options_.type() != typeid(Options))
      throw option_error(std::string{name}
                         + ": the given options belong to another policy");
    options_ = std::move(options);
  }

  /// Returns the catalogue entry of the part.
  const part_entry<Seam>& entry() const noexcept {
    return *entry_;
  }

  /// Returns the name of the part.
  std::string_view name() const noexcept {
    return entry_->name;
  }

  /// Returns descriptions of the options, for code that does not know the
  /// struct of options. The descriptions refer to the values in this object,
  /// and can change the values.
  std::vector<option> options() & {
    return entry_->options_in(options_);
  }

  /// Returns the struct of options; nullptr if its type is not `Options`.
  template <class Options>
  Options* options_as() noexcept {
    return std::any_cast<Options>(&options_);
  }

  /// Makes the part with the chosen options.
  ///
  /// Errors: std::invalid_argument if an option is out of bounds; the error
  ///         names the option.
  std::unique_ptr<Seam> make() const {
    return entry_->make(options_);
  }

private:
  const part_entry<Seam>* entry_;
  std::any options_;
};

/// Chooses the order `name` with its default options.
template <>
chosen<order>::chosen(std::string_view name);
/// Chooses the placement `name` with its default options.
template <>
chosen<placement>::chosen(std::string_view name);
/// Chooses the stealing policy `name` with its default options.
template <>
chosen<stealing>::chosen(std::string_view name);
/// Chooses the gather plan `name` with its default options.
template <>
chosen<gather_plan>::chosen(std::string_view name);

} // namespace libpool

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

/// Name and one-line summary of a policy, as users see them.
struct policy_entry {
  /// Name of the policy.
  std::string_view name;
  /// Summary in one line.
  std::string_view summary;
};

/// Catalogue entry of an order, a placement, a stealing or a gather, with a
/// struct of options of its own.
template <class Seam>
struct part_entry : policy_entry {
  /// Required assignment of tasks; unset: either.
  std::optional<libpool::assignment> needs;
  /// Whether the part uses the weights of workers.
  bool weighs = false;
  /// The struct of options with its default values.
  std::any defaults;
  /// Returns the options in such a struct.
  /// @pre `options` holds the struct of this part
  std::vector<option> (*options_in)(std::any& options) = nullptr;
  /// Makes the part with a struct of options, or with the defaults if `options`
  /// is empty.
  ///
  /// Errors: std::invalid_argument for the struct of another part; for an
  ///         option that is out of bounds, which is named.
  std::unique_ptr<Seam> (*make)(const std::any& options) = nullptr;
};

/// Catalogue entry of an order.
using order_entry = part_entry<order>;
/// Catalogue entry of a placement.
using placement_entry = part_entry<placement>;
/// Catalogue entry of a stealing.
using stealing_entry = part_entry<stealing>;
/// Catalogue entry of a gather.
using gather_entry = part_entry<gather_plan>;

/// Returns the order of that name.
///
/// Errors: std::invalid_argument lists the known names.
const order_entry& order_named(std::string_view name);
/// Returns the placement of that name; throws as `order_named` does.
const placement_entry& placement_named(std::string_view name);
/// Returns the stealing of that name; throws as `order_named` does.
const stealing_entry& stealing_named(std::string_view name);
/// Returns the gather of that name; throws as `order_named` does.
const gather_entry& gathering_policy_named(std::string_view name);

/// An order, a placement, a stealing or a gather, chosen by name, with its
/// options.
///
/// Errors: std::invalid_argument for an unknown name, with a list of the known
///         names, and for the options of another part.
template <class Seam>
class chosen {
public:
  /// Chooses the part with its default options.
  chosen(std::string_view name);

  /// Chooses the part with its default options.
  chosen(const char* name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part with its default options.
  chosen(const std::string& name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part with these options.
  template <class Options>
  chosen(std::string_view name, Options options) : chosen(name) {
    if (options_.type() != typeid(Options))
      throw option_error(std::string{name}
                         + ": the given options belong to another policy");
    options_ = std::move(options);
  }

  /// Returns the entry of the part in the catalogue.
  const part_entry<Seam>& entry() const noexcept {
    return *entry_;
  }

  /// Returns the name of the part.
  std::string_view name() const noexcept {
    return entry_->name;
  }

  /// Returns the options for code that does not know their struct. They refer
  /// to this object and can be changed.
  std::vector<option> options() & {
    return entry_->options_in(options_);
  }

  /// Returns the options; nullptr if their struct is not `Options`.
  template <class Options>
  Options* options_as() noexcept {
    return std::any_cast<Options>(&options_);
  }

  /// Makes the part with its options.
  ///
  /// Errors: std::invalid_argument names the option that is out of bounds.
  std::unique_ptr<Seam> make() const {
    return entry_->make(options_);
  }

private:
  const part_entry<Seam>* entry_;
  std::any options_;
};

/// Makes a choice of the order `name`, with its default options.
template <>
chosen<order>::chosen(std::string_view name);
/// Makes a choice of the placement `name`, with its default options.
template <>
chosen<placement>::chosen(std::string_view name);
/// Makes a choice of the stealing `name`, with its default options.
template <>
chosen<stealing>::chosen(std::string_view name);
/// Makes a choice of the gather plan `name`, with its default options.
template <>
chosen<gather_plan>::chosen(std::string_view name);

} // namespace libpool

#pragma once

#include "libpool/core/assignment.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/export.hpp"
#include "libpool/policies/option.hpp"
#include "libpool/policies/requirement.hpp"

#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace libpool {

class order;
class placement;
class stealing;

/// Catalogue entry of a policy, or of a part of a policy: its name and a
/// one-line summary, as shown to users.
struct policy_entry {
  /// Name of the policy or the part.
  std::string_view name;
  /// Summary of the policy or the part, in one line.
  std::string_view summary;
};

/// What a part of a policy asks functions of the user for: the priority, the
/// flow or the key of a message, or the weight of a worker, which determines
/// its share of time.
enum class asked : std::uint8_t { nothing, priority, flow, key, weight };

/// Catalogue entry of a part of a policy. `Seam` is the base class of the part.
/// An order decides which waiting task goes next, a placement which worker gets
/// a task, and a stealing policy which tasks idle workers take over. A gather
/// plan has several workers handle one message. Each part has its own struct of
/// options.
template <class Seam>
struct part_entry : policy_entry {
  /// Time at which tasks must get their workers for the part to work. Eager:
  /// when a task arrives. Lazy: when a worker has room. Unset: the part works
  /// with both.
  std::optional<libpool::assignment> needs;
  /// What the part asks functions of the user for.
  asked asks = asked::nothing;
  /// Object of the part's struct of options, with default values.
  std::any defaults;
  /// Returns a description of each option of the part. The descriptions refer
  /// to the values in `options`.
  /// @pre `options` holds the struct of options of this part
  std::vector<option> (*options_in)(std::any& options) = nullptr;
  /// Makes the part with the given options, or with default options if
  /// `options` is empty. `options` holds the part's struct of options.
  ///
  /// Errors: std::invalid_argument if `options` holds the struct of another
  ///         part, or if an option is out of bounds; the error names the
  ///         option.
  std::unique_ptr<Seam> (*make)(const std::any& options) = nullptr;
};

/// Catalogue entry of an order, which decides which waiting task goes next.
using order_entry = part_entry<order>;
/// Catalogue entry of a placement, which decides which worker gets a task.
using placement_entry = part_entry<placement>;
/// Catalogue entry of a stealing policy, which decides which tasks idle workers
/// take over from other workers.
using stealing_entry = part_entry<stealing>;
/// Catalogue entry of a gather plan, by which several workers handle one
/// message.
using gather_entry = part_entry<gather_plan>;

/// Returns the catalogue entry of the order with the name `name`. An order
/// decides which waiting task goes next.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
LIBPOOL_EXPORT const order_entry& order_named(std::string_view name);
/// Returns the catalogue entry of the placement with the name `name`. A
/// placement decides which worker gets a task.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
LIBPOOL_EXPORT const placement_entry& placement_named(std::string_view name);
/// Returns the catalogue entry of the stealing policy with the name `name`. A
/// stealing policy decides which tasks idle workers take over from other
/// workers.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
LIBPOOL_EXPORT const stealing_entry& stealing_named(std::string_view name);
/// Returns the catalogue entry of the gather plan with the name `name`. By a
/// gather plan, several workers handle one message.
///
/// Errors: std::invalid_argument if the name is unknown; the error lists the
///         known names.
LIBPOOL_EXPORT const gather_entry&
gathering_policy_named(std::string_view name);

/// Choice of a part of a policy by its name, with its options. `Seam` is the
/// base class of the part: an order, a placement, a stealing policy or a gather
/// plan.
///
/// Errors: std::invalid_argument if the name is unknown, or if the options
///         belong to another part. An error for an unknown name lists the known
///         names.
template <class Seam>
class chosen {
public:
  /// Chooses the part of a policy with the name `name`, with its default
  /// options.
  chosen(std::string_view name);

  /// Chooses the part of a policy with the name `name`, with its default
  /// options.
  chosen(const char* name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part of a policy with the name `name`, with its default
  /// options.
  chosen(const std::string& name) : chosen(std::string_view{name}) {
    // nop
  }

  /// Chooses the part of a policy with the name `name`, with the given options.
  template <class Options>
  chosen(std::string_view name, Options options) : chosen(name) {
    if (options_.type() != typeid(Options))
      throw option_error(std::string{name}
                         + ": the given options belong to another policy");
    options_ = std::move(options);
  }

  /// Returns the catalogue entry of the chosen part: its name, summary and
  /// options, and the function that makes it.
  const part_entry<Seam>& entry() const noexcept {
    return *entry_;
  }

  /// Returns the name of the chosen part.
  std::string_view name() const noexcept {
    return entry_->name;
  }

  /// Returns descriptions of the options of the chosen part, for code that does
  /// not know the struct of options. The descriptions refer to the values in
  /// this object, and can change the values.
  std::vector<option> options() & {
    return entry_->options_in(options_);
  }

  /// Returns the struct of options of the chosen part; nullptr if the struct is
  /// not of the type `Options`.
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

/// Chooses the order with the name `name`, with its default options.
template <>
LIBPOOL_EXPORT chosen<order>::chosen(std::string_view name);
/// Chooses the placement with the name `name`, with its default options.
template <>
LIBPOOL_EXPORT chosen<placement>::chosen(std::string_view name);
/// Chooses the stealing policy with the name `name`, with its default options.
template <>
LIBPOOL_EXPORT chosen<stealing>::chosen(std::string_view name);
/// Chooses the gather plan with the name `name`, with its default options.
template <>
LIBPOOL_EXPORT chosen<gather_plan>::chosen(std::string_view name);

} // namespace libpool

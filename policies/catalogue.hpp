#pragma once

#include "libpool/core/dispatcher.hpp"
#include "libpool/core/gather_plan.hpp"
#include "libpool/policies/hedged.hpp"
#include "libpool/policies/order_options.hpp"
#include "libpool/policies/placement_options.hpp"
#include "libpool/policies/stealing_options.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

/// One policy as users name it.
struct policy_entry {
  std::string_view name;
  std::string_view summary;
};

/// The direct policies: each message is dispatched in its sender's thread, with
/// no bookkeeping. Tables, programs and tests take their lists from here.
const std::vector<policy_entry>& direct_policies();

/// The options of all policies by which a message is handled by several tasks;
/// each has some of them.
struct gather_settings {
  std::size_t asked = 3;
  std::size_t needed = 2;
  std::optional<duration> timeout = std::nullopt;
  bool join_what_came = false;
  hedge_delay after = percentile{95};
  double budget = 5;
};

/// A policy by which a message is handled by several tasks, as users name it.
struct gather_entry : policy_entry {
  /// The names of its options.
  std::vector<std::string_view> options;
  std::unique_ptr<gather_plan> (*make)(const gather_settings&);
};

/// Those by which a managed pool handles a message by several tasks, over any
/// of the others.
const std::vector<gather_entry>& gathering_policies();

/// Errors: std::invalid_argument names the choices.
const gather_entry& gathering_policy_named(std::string_view name);

/// An order as users name it.
struct order_entry : policy_entry {
  /// The names of its options.
  std::vector<std::string_view> options;
  /// How tasks must be bound with it, if that matters.
  std::optional<libpool::assignment> needs;
  std::unique_ptr<order> (*make)(const order_options&);
};

/// A placement as users name it.
struct placement_entry : policy_entry {
  /// The names of its options.
  std::vector<std::string_view> options;
  /// How tasks must be bound with it, if that matters.
  std::optional<libpool::assignment> needs;
  /// Whether it goes by the weights of workers.
  bool weighs = false;
  std::unique_ptr<placement> (*make)(const placement_options&);
};

/// A stealing as users name it; all need tasks to be bound eagerly.
struct stealing_entry : policy_entry {
  /// The names of its options.
  std::vector<std::string_view> options;
  std::unique_ptr<stealing> (*make)(const stealing_options&);
};

const std::vector<order_entry>& orders();
const std::vector<placement_entry>& placements();
const std::vector<stealing_entry>& stealings();

/// Errors: std::invalid_argument names the choices.
const order_entry& order_named(std::string_view name);
const placement_entry& placement_named(std::string_view name);
const stealing_entry& stealing_named(std::string_view name);

/// Of what a managed policy is composed, by name.
struct recipe {
  std::string order = "fifo";
  order_options order_with = {};
  std::string placement = "round_robin";
  placement_options placement_with = {};
  /// None: as the policy has it.
  std::optional<libpool::assignment> assignment = std::nullopt;
  /// Empty: none.
  std::string stealing = {};
  stealing_options stealing_with = {};
};

/// The managed policies: the pool keeps each message until a worker has room
/// for it, and settles it once whatever becomes of the workers.
struct managed_entry : policy_entry {
  recipe how;
};

const std::vector<managed_entry>& managed_policies();

/// Errors: std::invalid_argument names the choices.
const managed_entry& managed_policy_named(std::string_view name);

/// How a pool of this recipe binds its tasks.
assignment assignment_of(const recipe& how);

/// The window of a worker that runs so many tasks at once, unless somebody
/// wants another one: what it runs, and, where tasks are bound at once, a
/// second one at hand.
std::size_t default_window(const recipe& how, std::size_t seats);

/// Errors: std::invalid_argument names what is unknown, out of bounds, or does
///         not go together.
composition compose(const recipe& how);

} // namespace libpool

#pragma once

#include "libpool/actors/caf/port/fact_node.hpp"
#include "libpool/actors/caf/port/types.hpp"

#include <functional>
#include <utility>

namespace libpool {

/// Fact in the form of a function, see `fact_inbox`.
class command_element final : public fact_node {
public:
  using function = std::function<void(execution_context*)>;

  explicit command_element(function command) : run(std::move(command)) {
    // nop
  }

  function run;
};

} // namespace libpool

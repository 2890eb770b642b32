#pragma once

#include "libpool/actors/caf/port/types.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <functional>
#include <utility>

namespace libpool {

/// Fact in the form of a function, see `fact_inbox`.
class command_element final : public caf::mailbox_element {
public:
  using function = std::function<void(execution_context*)>;

  explicit command_element(function command) : run(std::move(command)) {
    // nop
  }

  message_content& content() override {
    return nothing_;
  }

  const message_content& content() const override {
    return nothing_;
  }

  caf::message move_content_to_message() override {
    return {};
  }

  caf::message copy_content_to_message() const override {
    return {};
  }

  function run;

private:
  caf::message nothing_;
};

} // namespace libpool

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace libpool {

struct task_facts;

/// Reference to the bytes of a content inside a message batch.
struct batch_part {
  std::shared_ptr<const void> owner; // keeps the bytes alive
  std::string_view bytes;
  std::uint64_t taking = 0; // of the durable queue; 0: none
  std::shared_ptr<const task_facts> facts = nullptr; // of the task, if known
};

} // namespace libpool

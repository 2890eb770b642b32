#pragma once

#include <caf/message_id.hpp>

namespace libpool {

struct task_facts;

/// Client of a pool that knows more of its requests than the pool: the agent of
/// a node.
///
/// Threads: any.
class facts_source {
public:
  facts_source() = default;
  facts_source(const facts_source&) = delete;
  facts_source& operator=(const facts_source&) = delete;

  /// Completes the facts of the task of a request. `facts` has what the pool
  /// knows.
  virtual void complete(caf::message_id request, task_facts& facts) const = 0;

protected:
  ~facts_source() = default;
};

} // namespace libpool

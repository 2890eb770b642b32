#pragma once

#include "libpool/core/flow.hpp"
#include "libpool/export.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <utility>

namespace libpool {

/// Reference to the key of a flow, which tasks of the flow share, so that a
/// task needs one word for its flow.
///
/// Cost:    a copy costs O(1) and allocates nothing.
/// Threads: the references to one key belong to one thread at a time.
class LIBPOOL_EXPORT flow_ref {
public:
  /// Makes a reference to the key of tasks without a flow.
  flow_ref() noexcept = default;

  /// Makes a reference to `key`. Allocates.
  explicit flow_ref(flow_key key) : shared_(new shared_key{std::move(key)}) {
    // nop
  }

  /// Returns the key of the flow.
  const flow_key& key() const noexcept {
    return shared_ != nullptr ? shared_->key : no_flow;
  }

  /// Whether there are other references to the key.
  bool is_shared() const noexcept {
    return shared_ != nullptr && shared_->use_count() > 1;
  }

private:
  struct shared_key
    : boost::intrusive_ref_counter<shared_key, boost::thread_unsafe_counter> {
    explicit shared_key(flow_key shared) : key(std::move(shared)) {
      // nop
    }

    flow_key key;
  };

  static const flow_key no_flow;

  boost::intrusive_ptr<const shared_key> shared_;
};

} // namespace libpool

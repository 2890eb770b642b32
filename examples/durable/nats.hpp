#pragma once

#include <nats/nats.h>

#include <memory>
#include <string>

/// Objects of the C client of NATS that destroy themselves, and its errors as
/// exceptions.
namespace durable::nats {

template <auto Destroy>
struct destroyer {
  template <class T>
  void operator()(T* x) const noexcept {
    Destroy(x);
  }
};

template <class T, auto Destroy>
using owner = std::unique_ptr<T, destroyer<Destroy>>;

using connection = owner<natsConnection, natsConnection_Destroy>;
using consumer_info = owner<jsConsumerInfo, jsConsumerInfo_Destroy>;
using jetstream = owner<jsCtx, jsCtx_Destroy>;
using message = owner<natsMsg, natsMsg_Destroy>;
using metadata = owner<jsMsgMetaData, jsMsgMetaData_Destroy>;
using options = owner<natsOptions, natsOptions_Destroy>;
using publish_ack = owner<jsPubAck, jsPubAck_Destroy>;
using stream_info = owner<jsStreamInfo, jsStreamInfo_Destroy>;
using subscription = owner<natsSubscription, natsSubscription_Destroy>;

/// Throws std::runtime_error that says what could not be done, and why.
void check(natsStatus status, const std::string& doing);

/// Calls `make` with where to put the new object.
template <class Owner, class F>
Owner made(const std::string& doing, F make) {
  typename Owner::pointer raw = nullptr;
  const auto status = make(&raw);
  Owner result{raw};
  check(status, doing);
  return result;
}

/// Connects, and connects again for as long as it lives.
connection connect(const std::string& url);

} // namespace durable::nats

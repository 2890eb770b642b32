/// How the agent of a node exchanges messages with the pool.

#include "libpool/actors/error.hpp"
#include "libpool/nodes/actors/actor_calls.hpp"
#include "libpool/nodes/actors/node_agent.hpp"

#include <exception>
#include <utility>

namespace libpool {

namespace {

/// Reads an envelope with a message batch. Returns nullptr if the bytes are
/// something else.
std::shared_ptr<batch_to_agent> read_batch(received_bytes bytes) {
  auto opened = open_envelope(bytes.bytes);
  auto read = opened ? read_batch_to_node(opened->batch) : std::nullopt;
  if (!read)
    return nullptr;
  return std::make_shared<batch_to_agent>(
    batch_to_agent{std::move(bytes.owner), opened->head, *std::move(read)});
}

/// Passes the calls of the transport on to the agent. Messages are read in the
/// threads of the transport.
class agent_line_ear final : public actor_ear<node_agent, transport_user> {
public:
  using actor_ear::actor_ear;

  void heard(const std::string&, received_bytes message) override {
    pass([batch = read_batch(std::move(message))](node_agent& agent) mutable {
      agent.batch_came(std::move(batch));
    });
  }

  void came_up() override {
    pass([](node_agent& agent) { agent.line_came_up(); });
  }

  void went_down(const std::string& why) override {
    pass([&](node_agent& agent) { agent.line_went_down(why); });
  }

  void closed() override {
    pass([](node_agent& agent) { agent.pool_has_ended(); });
  }
};

} // namespace

// -- the line -----------------------------------------------------------------

void node_agent::open_transport(host_ptr host) {
  try {
    line_ = how_.open(std::make_shared<agent_line_ear>(address()));
  } catch (const std::exception& e) {
    end(make_error(errc::not_connected, e.what()), false, host);
  }
}

void node_agent::line_came_up() {
  auto note_up = [this](host_ptr here) {
    heard_at_ = now();
    end_.came_up(now());
    carry_out(here);
  };
  act(note_up, nullptr);
}

void node_agent::line_went_down(const std::string& why) {
  auto note_down = [this, why](host_ptr) {
    end_.went_down();
    trouble_ = make_error(errc::not_connected, why);
  };
  act(note_down, nullptr);
}

void node_agent::pool_has_ended() {
  auto note_end = [this](host_ptr here) {
    end(
      make_error(errc::pool_closed, "the pool does not accept nodes any more"),
      false, here);
  };
  act(note_end, nullptr);
}

// -- sending ------------------------------------------------------------------

void node_agent::send(const batch_to_pool& batch) {
  auto bytes = written(batch);
  if (is_beside_stream(batch))
    return say(stream_.mark_beside(batch.session, false), bytes);
  auto mark = stream_.add(batch.session, std::move(bytes));
  say(mark, stream_.stream().newest());
}

/// `batch` has room for an envelope.
void node_agent::say(const stream_mark& mark, std::string& batch) {
  if (line_ != nullptr)
    line_->say({}, put_in_envelope({epoch_.value(), mark}, batch));
}

// -- batches ------------------------------------------------------------------

void node_agent::batch_came(std::shared_ptr<batch_to_agent> batch) {
  act([this,
       batch = std::move(batch)](host_ptr here) { take(batch.get(), here); },
      nullptr);
}

void node_agent::take(const batch_to_agent* batch, host_ptr host) {
  if (batch == nullptr)
    ++strays_;
  else if (batch->read.rejected)
    take(*batch->read.rejected, host);
  else if (note_mark(*batch))
    take(*batch, host);
}

/// Notes a message from a client. A client that is silent for too long is given
/// up.
void node_agent::note_client() {
  constexpr duration patience = std::chrono::seconds{10};
  if (how_.is_for_client && !leaves_)
    gives_up_at_ = later(now(), session_ ? 2 * end_.link().lease() : patience);
}

/// Returns whether the node must handle the batch now.
bool node_agent::note_mark(const batch_to_agent& came) {
  const auto& batch = came.read.batch;
  note_client();
  auto is = epoch_.note(batch, came.head.epoch, end_.link(), now());
  if (is != node_epoch::verdict::of_run) {
    strays_ += is == node_epoch::verdict::stray ? 1 : 0;
    return is == node_epoch::verdict::of_any_run;
  }
  heard_at_ = now();
  if (session_ == batch.session)
    trouble_ = {};
  auto what = stream_.note(batch.session, came.head.mark);
  if (what.must_repeat)
    stream_.stream().repeat([this](const stream_mark& mark,
                                   std::string& bytes) { say(mark, bytes); });
  if (what.must_ask) {
    auto bytes = bytes_of(batch_to_pool{batch.session, resend{}}, {},
                          envelope_room);
    say(stream_.mark_beside(batch.session, true), bytes);
  }
  if (!what.is_next && batch.session != stream_.session())
    ++strays_;
  return what.is_next;
}

void node_agent::take(rejection, host_ptr host) {
  end(make_error(errc::not_connected,
                 "the pool and the node have no protocol version in common"),
      false, host);
}

} // namespace libpool

/// How the agent of a node exchanges messages with the pool.

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/nodes/node_agent.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace libpool {

namespace {

/// Returns nullptr if the bytes are not a message batch in its envelope.
std::shared_ptr<letter_to_agent> read_letter(received_bytes from) {
  auto opened = open_envelope(from.bytes);
  auto read = opened ? read_letter_to_node(opened->letter) : std::nullopt;
  if (!read)
    return nullptr;
  return std::make_shared<letter_to_agent>(
    letter_to_agent{std::move(from.owner), opened->head, *std::move(read)});
}

/// Passes on to the agent, while it lives, what its transport has to tell.
/// Reads messages in the threads that bring them.
class agent_ear final : public transport_user {
public:
  explicit agent_ear(caf::actor_addr agent) : agent_(std::move(agent)) {
    // nop
  }

  void heard(const std::string&, received_bytes message) override {
    to_agent([letter = read_letter(std::move(message))](
               node_agent& to) mutable { to.letter_came(std::move(letter)); });
  }

  void came_up() override {
    to_agent([](node_agent& to) { to.line_came_up(); });
  }

  void went_down(const std::string& why) override {
    to_agent([&why](node_agent& to) { to.line_went_down(why); });
  }

  void closed() override {
    to_agent([](node_agent& to) { to.pool_has_ended(); });
  }

private:
  template <class F>
  void to_agent(F f) {
    if (auto handle = reach(agent_))
      f(*static_cast<node_agent*>(handle->get()));
  }

  const caf::actor_addr agent_;
};

} // namespace

// -- the line -----------------------------------------------------------------

void node_agent::open_transport(host_ptr host) {
  try {
    line_ = how_.open(std::make_shared<agent_ear>(address()));
  } catch (const std::exception& e) {
    end(make_error(errc::not_connected, e.what()), false, host);
  }
}

void node_agent::line_came_up() {
  auto is_up = [this](host_ptr here) {
    heard_at_ = now();
    end_.came_up(now());
    carry_out(here);
  };
  act(is_up, nullptr);
}

void node_agent::line_went_down(const std::string& why) {
  auto is_down = [this, why](host_ptr) {
    end_.went_down();
    trouble_ = make_error(errc::not_connected, why);
  };
  act(is_down, nullptr);
}

void node_agent::pool_has_ended() {
  auto has_ended = [this](host_ptr here) {
    end(
      make_error(errc::pool_closed, "the pool does not accept nodes any more"),
      false, here);
  };
  act(has_ended, nullptr);
}

// -- sending ------------------------------------------------------------------

void node_agent::send(const letter_to_pool& letter) {
  auto bytes = written(letter);
  if (is_beside_stream(letter))
    return say(stream_.mark_beside(letter.session, false), bytes);
  auto mark = stream_.add(letter.session, std::move(bytes));
  say(mark, stream_.stream().newest());
}

void node_agent::say(const stream_mark& mark, const std::string& letter) {
  if (line_ != nullptr)
    line_->say({}, bytes_of(envelope{epoch_, mark}) + letter);
}

// -- letters ------------------------------------------------------------------

void node_agent::letter_came(std::shared_ptr<letter_to_agent> letter) {
  act([this,
       letter = std::move(letter)](host_ptr here) { take(letter.get(), here); },
      nullptr);
}

void node_agent::take(const letter_to_agent* letter, host_ptr host) {
  if (letter == nullptr)
    ++strays_;
  else if (letter->read.rejected)
    take(*letter->read.rejected, host);
  else if (note_mark(*letter))
    take(*letter, host);
}

/// Notes a sign of life. A client that is silent for too long is given up.
void node_agent::note_client() {
  constexpr duration patience = std::chrono::seconds{10};
  if (how_.is_for_client && !leaves_)
    gives_up_at_ = later(now(), session_ ? 2 * end_.link().lease() : patience);
}

/// Whether the letter counts, whose run of the pool is not that of the session:
/// a later run that does not know the session ends it. The clock of the pool
/// may go back before it starts again, so an earlier one does so, too, if the
/// run of the session has not answered for long.
bool node_agent::ends_epoch(const letter_to_agent& came) const {
  return std::holds_alternative<gone>(came.read.letter.content)
         && (came.head.epoch > epoch_ || !end_.link().may_begin(now()));
}

/// Whether the node is to handle the letter now. A welcome may come from any
/// run of the pool.
bool node_agent::note_mark(const letter_to_agent& came) {
  const auto& letter = came.read.letter;
  note_client();
  if (std::holds_alternative<welcome>(letter.content)) {
    epoch_ = session_ ? epoch_ : came.head.epoch;
    return true;
  }
  if (came.head.epoch != epoch_) {
    auto counts = ends_epoch(came);
    strays_ += counts ? 0 : 1;
    return counts;
  }
  heard_at_ = now();
  if (session_ == letter.session)
    trouble_ = {};
  auto what = stream_.note(letter.session, came.head.mark);
  if (what.must_repeat)
    stream_.stream().repeat(
      [this](const stream_mark& mark, const std::string& bytes) {
        say(mark, bytes);
      });
  if (what.must_ask)
    say(stream_.mark_beside(letter.session, true),
        bytes_of(letter_to_pool{letter.session, resend{}}));
  if (!what.is_next && letter.session != stream_.session())
    ++strays_;
  return what.is_next;
}

void node_agent::take(rejection, host_ptr host) {
  end(make_error(errc::not_connected,
                 "the pool and the node have no protocol version in common"),
      false, host);
}

} // namespace libpool

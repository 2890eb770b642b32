#include "libpool/nodes/protocol/message_stream.hpp"
#include "libpool/core/worker_number.hpp"
#include "libpool/nodes/protocol/batches.hpp"
#include "libpool/nodes/protocol/session_stream.hpp"
#include "support/batch_words.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nodes_message_stream_tests {

using libpool::message_stream;
using libpool::session_stream;
using libpool::stream_mark;
using libpool::worker_number;

namespace {

using stream = message_stream<int>;

stream_mark numbered(std::uint64_t number, std::uint64_t received = 0) {
  return {number, received, true, false};
}

stream_mark beside(std::uint64_t last, std::uint64_t received = 0) {
  return {last, received, false, false};
}

stream_mark asking(std::uint64_t last, std::uint64_t received) {
  return {last, received, false, true};
}

/// A mark in words: `3/1` is message 3 of an end that has received one.
std::string text(const stream_mark& mark) {
  return std::string{mark.is_numbered ? "" : "beside "}
         + (mark.asks_again ? "asking " : "") + std::to_string(mark.last) + "/"
         + std::to_string(mark.received);
}

std::string text(const stream::arrival& what) {
  return std::string{what.is_next ? "handle " : ""}
         + (what.must_ask ? "ask " : "") + (what.must_repeat ? "repeat " : "");
}

/// The marks and the bodies of all kept messages.
std::string repeated(stream& of) {
  std::string words;
  of.repeat([&](const stream_mark& mark, int body) {
    words += text(mark) + ":" + std::to_string(body) + " ";
  });
  return words;
}

/// Returns the messages that are sent beside the stream, by their kinds.
template <class Batch, std::size_t I = 0>
std::string messages_beside() {
  using content = decltype(Batch::content);
  if constexpr (I == std::variant_size_v<content>) {
    return {};
  } else {
    const Batch batch{worker_number{1},
                      std::variant_alternative_t<I, content>{}};
    return (is_beside_stream(batch) ? test::kind_of(batch) + " " : "")
           + messages_beside<Batch, I + 1>();
  }
}

} // namespace

// -- one end ------------------------------------------------------------------

TEST_CASE("messages of a stream are numbered from one, and a message beside "
          "the stream repeats the last number") {
  stream end;
  CHECK(text(end.mark_beside()) == "beside 0/0");
  CHECK(text(end.add(7)) == "1/0");
  CHECK(text(end.add(8)) == "2/0");
  CHECK(text(end.mark_beside()) == "beside 2/0");
  CHECK(text(end.mark_asking()) == "beside asking 2/0");
  CHECK(end.newest() == 8);
}

TEST_CASE("messages that arrive in order are handled once, and acknowledged by "
          "each mark") {
  stream end;
  CHECK(text(end.note(numbered(1))) == "handle ");
  CHECK(text(end.note(numbered(1))).empty());
  CHECK(text(end.note(numbered(0))).empty());
  CHECK(text(end.note(numbered(2))) == "handle ");
  CHECK(text(end.mark_beside()) == "beside 0/2");
  CHECK(text(end.add(7)) == "1/2");
  CHECK(repeated(end) == "1/2:7 ");
}

TEST_CASE("messages are kept until they are acknowledged, and an "
          "acknowledgement of more messages than were sent has no effect") {
  stream end;
  for (auto body : {7, 8, 9})
    end.add(body);
  CHECK(text(end.note(beside(0, 4))) == "handle ");
  end.note(beside(0, ~std::uint64_t{0}));
  CHECK(end.kept() == 3);
  for (auto received : {2U, 1U}) {
    end.note(beside(0, received));
    CHECK(repeated(end) == "3/0:9 ");
  }
  end.note(beside(0, 3));
  CHECK(end.kept() == 0);
}

TEST_CASE("a message after a gap is not handled, and the missing messages are "
          "asked for once, and by each message beside the stream") {
  stream end;
  CHECK(text(end.note(numbered(2))) == "ask ");
  CHECK(text(end.note(numbered(3))).empty());
  CHECK(text(end.note(beside(3))) == "handle ask ");
  CHECK(text(end.note(beside(3))) == "handle ask ");
  CHECK(text(end.note(numbered(1))) == "handle ");
  CHECK(text(end.note(numbered(2))) == "handle ");
  CHECK(text(end.note(beside(2))) == "handle ");
  CHECK(text(end.note(numbered(4))) == "ask ");
}

TEST_CASE("kept messages are sent again when the other end asks for them, also "
          "while messages are missing here") {
  stream end;
  CHECK(text(end.note(asking(0, 0))) == "handle ");
  end.add(7);
  end.add(8);
  CHECK(text(end.note(asking(0, 1))) == "handle repeat ");
  CHECK(repeated(end) == "2/0:8 ");
  CHECK(text(end.note(asking(1, 1))) == "handle ask repeat ");
  CHECK(text(end.note(asking(1, 2))) == "handle ask ");
}

// -- a session ----------------------------------------------------------------

TEST_CASE("an end enters a session, with the first message that it sends, and "
          "keeps the stream of a session that it enters again") {
  session_stream<int> end;
  CHECK(text(end.add(worker_number{1}, 7)) == "1/0");
  CHECK(end.session() == worker_number{1});
  CHECK(text(end.add(worker_number{1}, 8)) == "2/0");
  CHECK(text(end.add(worker_number{2}, 9)) == "1/0");
  CHECK(end.session() == worker_number{2});
  end.enter(worker_number{2});
  CHECK(end.stream().kept() == 1);
  CHECK(text(end.mark_beside(worker_number{2}, false)) == "beside 1/0");
  CHECK(text(end.mark_beside(worker_number{2}, true)) == "beside asking 1/0");
}

TEST_CASE("a message of another session is handled only if it came beside the "
          "stream, and acknowledges nothing") {
  session_stream<int> end;
  end.add(worker_number{1}, 7);
  CHECK(text(end.note(worker_number{2}, numbered(1, 1))).empty());
  CHECK(text(end.note(worker_number{2}, beside(5, 1))) == "handle ");
  CHECK(text(end.note(worker_number{2}, asking(5, 0))) == "handle ");
  CHECK(end.stream().kept() == 1);
  CHECK(text(end.mark_beside(worker_number{2}, true)) == "beside 0/0");
}

TEST_CASE(
  "messages that are repeated anyway are sent beside the stream: hellos, "
  "welcomes, beats, the ends of sessions and the byes of pools") {
  CHECK(messages_beside<libpool::batch_to_pool>() == "hello beat resend ");
  CHECK(messages_beside<libpool::batch_to_node>()
        == "welcome beat bye gone resend call ");
}

// -- two ends -----------------------------------------------------------------

namespace {

/// Two ends of a stream, and a line that loses messages. It keeps their order.
class lossy_line {
public:
  /// Is asked for each message that is sent whether it is lost.
  explicit lossy_line(std::function<bool()> loses) : loses_(std::move(loses)) {
    // nop
  }

  /// The end sends its next message of the stream.
  void add(std::size_t from) {
    auto& by = ends_[from];
    auto mark = by.sent.add(++by.count);
    send(from, mark, by.count);
  }

  void beat(std::size_t from) {
    send(from, ends_[from].sent.mark_beside(), 0);
  }

  /// The oldest message on the way to that end arrives. Returns false if there
  /// is none.
  bool arrive(std::size_t at) {
    auto& to = ends_[at];
    if (to.under_way.empty())
      return false;
    auto [mark, body] = to.under_way.front();
    to.under_way.pop_front();
    auto what = to.sent.note(mark);
    if (what.is_next && mark.is_numbered)
      to.arrived.push_back(body);
    if (what.must_ask)
      send(at, to.sent.mark_asking(), 0);
    if (what.must_repeat)
      to.sent.repeat(
        [&](const stream_mark& again, int kept) { send(at, again, kept); });
    return true;
  }

  void arrive_all() {
    while (arrive(0) || arrive(1)) {
      // once more
    }
  }

  /// From now on everything arrives.
  void heal() {
    loses_ = [] { return false; };
  }

  /// Whether each end has got a beginning of what the other one sent, in order
  /// and each message once.
  bool is_in_order() const {
    return is_in_order(0) && is_in_order(1);
  }

  /// Whether each end has got all.
  bool is_complete() const {
    return is_in_order() && ends_[0].arrived.size() == sent(1)
           && ends_[1].arrived.size() == sent(0);
  }

  /// Whether no end keeps a message.
  bool is_acknowledged() const {
    return ends_[0].sent.kept() == 0 && ends_[1].sent.kept() == 0;
  }

private:
  struct end {
    stream sent;
    int count = 0;
    std::vector<int> arrived;
    std::deque<std::pair<stream_mark, int>> under_way; // to this end
  };

  void send(std::size_t from, const stream_mark& mark, int body) {
    if (!loses_())
      ends_[1 - from].under_way.emplace_back(mark, body);
  }

  std::size_t sent(std::size_t by) const {
    return static_cast<std::size_t>(ends_[by].count);
  }

  bool is_in_order(std::size_t at) const {
    const auto& got = ends_[at].arrived;
    std::vector<int> expected(got.size());
    std::iota(expected.begin(), expected.end(), 1);
    return got == expected && got.size() <= sent(1 - at);
  }

  std::function<bool()> loses_;
  std::array<end, 2> ends_;
};

/// Beats of both ends until nothing is missing. Two rounds are enough: the
/// first one has all that is missing asked for.
bool completes(lossy_line& line) {
  line.heal();
  line.arrive_all();
  for (auto round = 0; round < 2; ++round) {
    line.beat(0);
    line.beat(1);
    line.arrive_all();
  }
  return line.is_complete() && line.is_acknowledged();
}

} // namespace

TEST_CASE("each message arrives once and in order, whichever of the first "
          "sixteen transmissions are lost") {
  constexpr unsigned patterns = 1U << 16U;
  auto is_right = true;
  for (auto lost = 0U; lost < patterns && is_right; ++lost) {
    CAPTURE(lost);
    auto left = lost;
    lossy_line line{[&left] {
      auto is_lost = (left & 1U) != 0;
      left >>= 1U;
      return is_lost;
    }};
    for (auto round = 0; round < 3; ++round) {
      line.add(0);
      line.add(1);
      line.add(0);
      line.beat(1);
      line.arrive_all();
      is_right &= line.is_in_order();
    }
    is_right &= completes(line);
    CHECK(is_right);
  }
}

TEST_CASE("each message arrives at most once and in order despite any losses "
          "and delays, and all messages arrive after the losses stop") {
  CHECK(rc::check([] {
    enum class event { add, beat, arrive, lose_next };
    using step = std::pair<event, std::size_t>;
    auto steps = *rc::gen::container<std::vector<step>>(
      rc::gen::pair(rc::gen::element(event::add, event::beat, event::arrive,
                                     event::arrive, event::lose_next),
                    rc::gen::inRange<std::size_t>(0, 2)));
    std::size_t to_lose = 0;
    lossy_line line{[&to_lose] { return to_lose > 0 && to_lose-- > 0; }};
    for (auto [what, end] : steps) {
      if (what == event::add)
        line.add(end);
      else if (what == event::beat)
        line.beat(end);
      else if (what == event::arrive)
        line.arrive(end);
      else
        to_lose += 1 + end;
      RC_ASSERT(line.is_in_order());
    }
    RC_ASSERT(completes(line));
  }));
}

} // namespace nodes_message_stream_tests

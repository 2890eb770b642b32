#include "libpool/nodes/protocol/batch_bytes.hpp"

#include "libpool/nodes/protocol/batch_forms.hpp"
#include "libpool/nodes/protocol/byte_reader.hpp"
#include "libpool/nodes/protocol/byte_writer.hpp"

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace libpool {

namespace {

template <class T>
constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

template <class Variant>
constexpr auto alternatives =
  std::make_index_sequence<std::variant_size_v<Variant>>{};

/// Returns the number of contents that travel with a message.
template <class Message>
std::size_t contents_of(const Message& message) noexcept {
  if constexpr (std::is_same_v<Message, tasks_sent>)
    return message.tasks.size();
  else if constexpr (std::is_same_v<Message, tasks_done>)
    return message.ends.size();
  else
    return 0;
}

// -- writing ------------------------------------------------------------------

/// Writes values in the formats of message batches.
class batch_writer : public byte_writer {
public:
  using byte_writer::byte_writer;

  template <class T>
  void value(const T& x) {
    if constexpr (is_number<T>)
      number(static_cast<std::uint64_t>(x));
    else
      members(x, form_of<T>{});
  }

  void value(duration x) {
    number(static_cast<std::uint64_t>(x.count()));
  }

  void value(instant x) {
    value(x.time_since_epoch());
  }

  void value(const std::string& x) {
    text(x);
  }

  template <class T>
  void value(const std::vector<T>& all) {
    number(all.size());
    for (const auto& each : all)
      value(each);
  }

  template <class T, std::uint8_t Kind, auto... Members>
  void members(const T& x, batch_form<Kind, Members...>) {
    (value(x.*Members), ...);
  }
};

/// Expected size of a message batch without its lists, in bytes.
constexpr std::size_t expected_bytes = 64;

std::size_t bytes_of_all(const std::vector<std::string_view>& contents) {
  auto result = expected_bytes;
  for (auto each : contents)
    result += each.size() + 16; // its length, and the number of its task
  return result;
}

template <class Batch>
std::string written(const Batch& batch,
                    const std::vector<std::string_view>& contents,
                    std::size_t room) {
  return std::visit(
    [&](const auto& message) {
      using Message = std::decay_t<decltype(message)>;
      assert(contents.size() == contents_of(message));
      if constexpr (std::is_same_v<Message, hello>) {
        return bytes_of(message, introduction{}, room);
      } else {
        batch_writer out{bytes_of_all(contents), room};
        out.byte(form_of<Message>::kind);
        out.value(batch.session);
        out.value(message);
        for (auto each : contents)
          out.text(each);
        return out.take();
      }
    },
    batch.content);
}

// -- reading ------------------------------------------------------------------

/// Longest lease that a node accepts.
constexpr duration longest_lease = std::chrono::hours{24};

/// Whether a value from another program is valid.
template <class T>
constexpr bool is_sound(const T&) noexcept {
  return true;
}

constexpr bool is_sound(ending ending) noexcept {
  return ending == ending::completed || ending == ending::crashed;
}

constexpr bool is_sound(rejection why) noexcept {
  return why == rejection::protocol;
}

constexpr bool is_sound(const welcome& x) noexcept {
  return x.lease > duration{0} && x.lease <= longest_lease;
}

/// Reads values in the formats of message batches.
class batch_reader : public byte_reader {
public:
  using byte_reader::byte_reader;

  template <class T>
  void value(T& x) {
    if constexpr (is_number<T>)
      x = small_number<T>();
    else
      members(x, form_of<T>{});
    if (!is_sound(x))
      fail();
  }

  void value(duration& x) {
    x = duration{static_cast<duration::rep>(number())};
  }

  void value(instant& x) {
    duration since{};
    value(since);
    x = instant{since};
  }

  void value(std::string& x) {
    x = text();
  }

  void value(std::string_view& x) {
    x = text();
  }

  template <class T>
  void value(std::vector<T>& all) {
    values(all, number());
  }

  /// Reads `count` values, each of which takes at least one byte.
  template <class T>
  void values(std::vector<T>& all, std::uint64_t count) {
    if (count > left())
      return fail();
    all.reserve(static_cast<std::size_t>(count));
    while (all.size() < count && !has_failed())
      value(all.emplace_back());
  }

  template <class T, std::uint8_t Kind, auto... Members>
  void members(T& x, batch_form<Kind, Members...>) {
    (value(x.*Members), ...);
  }

private:
  /// Reads a number. The reader fails if the number does not fit into `T`.
  template <class T>
  T small_number() {
    auto result = number();
    if (static_cast<std::uint64_t>(static_cast<T>(result)) != result)
      fail();
    return static_cast<T>(result);
  }
};

template <class Message>
auto enter(Message& message, worker_number session, int)
  -> decltype(void(message.session = session)) {
  message.session = session;
}

template <class Message>
void enter(Message&, worker_number, long) {
  // the message has no member for its session
}

/// Reads a message whose first byte was `kind`. Returns false if the message is
/// of another kind.
template <class Message>
bool read_as(batch_reader& in, std::uint8_t kind, Message& message) {
  if (kind != form_of<Message>::kind)
    return false;
  in.value(message);
  if constexpr (std::is_same_v<Message, tasks_sent>)
    if (!message.facts.empty() && message.facts.size() != message.tasks.size())
      in.fail();
  return true;
}

/// Reads a message of the kind `kind`. The reader fails if the batch cannot
/// have a message of that kind.
template <class Batch, std::size_t... I>
void read_message(batch_reader& in, std::uint8_t kind, Batch& batch,
                  std::index_sequence<I...>) {
  auto read_one = [&](auto item) {
    using Message = std::variant_alternative_t<item(), decltype(batch.content)>;
    Message message;
    if (!read_as(in, kind, message))
      return false;
    enter(message, batch.session, 0);
    batch.content = std::move(message);
    return true;
  };
  if (!(read_one(std::integral_constant<std::size_t, I>{}) || ...))
    in.fail();
}

template <class Read>
void read_rest(batch_reader& in, std::uint8_t kind, Read& result) {
  auto& batch = result.batch;
  in.value(batch.session);
  read_message(in, kind, batch, alternatives<decltype(batch.content)>);
  std::visit(
    [&](const auto& message) {
      in.values(result.contents, contents_of(message));
    },
    batch.content);
  if (in.left() > 0)
    in.fail();
}

} // namespace

// -- batches ------------------------------------------------------------------

std::string bytes_of(const batch_to_pool& batch,
                     const std::vector<std::string_view>& contents,
                     std::size_t room) {
  return written(batch, contents, room);
}

std::string bytes_of(const batch_to_node& batch,
                     const std::vector<std::string_view>& contents,
                     std::size_t room) {
  return written(batch, contents, room);
}

std::string bytes_of(const hello& batch, const introduction& who,
                     std::size_t room) {
  batch_writer out{expected_bytes, room};
  out.byte(form_of<hello>::kind);
  out.value(batch);
  out.value(who);
  return out.take();
}

std::string bytes_of(rejection why, std::size_t room) {
  batch_writer out{2, room};
  out.byte(form_of<rejection>::kind);
  out.value(why);
  return out.take();
}

std::optional<read_by_pool> read_batch_to_pool(std::string_view bytes) {
  batch_reader in{bytes};
  std::optional<read_by_pool> result{std::in_place};
  auto kind = in.byte();
  if (kind == form_of<hello>::kind) {
    in.value(result->batch.content.emplace<hello>());
    in.value(result->who);
  } else {
    read_rest(in, kind, *result);
  }
  if (in.has_failed())
    result.reset();
  return result;
}

std::optional<read_by_node> read_batch_to_node(std::string_view bytes) {
  batch_reader in{bytes};
  std::optional<read_by_node> result{std::in_place};
  auto kind = in.byte();
  if (kind == form_of<rejection>::kind)
    in.value(result->rejected.emplace());
  else
    read_rest(in, kind, *result);
  if (in.has_failed())
    result.reset();
  return result;
}

} // namespace libpool

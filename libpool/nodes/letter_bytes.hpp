#pragma once

#include "libpool/nodes/letters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

// Letters as they travel: as bytes of a format of our own, so that whoever
// reads one needs nothing but these, and anything may come from the other end.

/// The versions of the protocol that a program speaks.
struct protocol_range {
  /// Oldest version.
  std::uint32_t oldest = 1;
  /// Newest version.
  std::uint32_t newest = 1;
};

/// Those of this library.
constexpr protocol_range spoken_protocols{1, 1};

/// What a node says of itself with its hello.
struct introduction {
  /// Versions of the protocol that the node speaks.
  protocol_range speaks = spoken_protocols;
  /// Says that the node may serve.
  std::string token;
  /// For people.
  std::string name;
  /// By which tasks may choose nodes.
  std::vector<std::string> labels;
};

/// Why a node that says hello is turned away.
enum class rejection : std::uint8_t {
  /// The versions of the protocol have none in common.
  protocol = 1,
  token,
  /// The pool takes no more nodes, or is about to end.
  closed,
};

/// A letter to the pool, as it was read: its contents are parts of the bytes.
struct read_by_pool {
  /// The letter.
  letter_to_pool letter;
  /// Of a hello.
  introduction who;
  /// The results, one for each end of `tasks_done`.
  std::vector<std::string_view> contents;
};

/// A letter to the node, as it was read: its contents are parts of the bytes.
struct read_by_node {
  /// The letter.
  letter_to_node letter;
  /// If so, there is no letter.
  std::optional<rejection> rejected;
  /// One for each task of `tasks_sent`.
  std::vector<std::string_view> contents;
};

/// The letter as bytes. Its session is written once, as the letter has it.
///
/// Shapes:  `contents`: one for each task of the letter, in its order, where it
///          is `tasks_done` or `tasks_sent`; otherwise none.
/// Cost:    O(bytes): the contents are copied.
std::string bytes_of(const letter_to_pool& letter,
                     const std::vector<std::string_view>& contents = {});
/// Returns the letter as bytes. Its session is written once, as the letter has
/// it.
std::string bytes_of(const letter_to_node& letter,
                     const std::vector<std::string_view>& contents = {});

/// A hello with an introduction.
std::string bytes_of(const hello& letter, const introduction& who);

/// Returns a rejection as bytes.
std::string bytes_of(rejection why);

/// The letter that the bytes are; none if they are not exactly one. Behind a
/// hello and a rejection, which programs of all versions read, may be more.
///
/// Cost:    O(bytes), in memory too, whatever they claim; contents are not
///          copied.
/// Errors:  an ending is `completed` or `crashed`, and a lease above zero and
///          at most a day; other numbers are handed on as they are.
std::optional<read_by_pool> read_letter_to_pool(std::string_view bytes);
/// Returns the letter that the bytes are; none if the bytes are not exactly one
/// letter.
std::optional<read_by_node> read_letter_to_node(std::string_view bytes);

} // namespace libpool

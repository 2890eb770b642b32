#include "libpool/nodes/actors/task_result.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/packing.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"

#include <utility>

namespace libpool {

namespace {

constexpr char is_answer = 0;
constexpr char is_error = 1;

/// Returns the content as bytes, after one byte for its kind. If the content
/// cannot be written, sets `problem`, and returns an empty text.
std::string packed_as(char kind, caf::actor_system& system,
                      const caf::message& content, caf::error& problem) {
  auto packed = pack(system, content);
  if (auto* why = std::get_if<caf::error>(&packed)) {
    problem = std::move(*why);
    return {};
  }
  return kind + std::get<std::string>(packed);
}

} // namespace

std::string bytes_of_answer(caf::actor_system& system,
                            const caf::message& answer) {
  caf::error problem;
  auto result = packed_as(is_answer, system, answer, problem);
  return problem ? bytes_of_error(system, problem) : result;
}

std::string bytes_of_error(caf::actor_system& system, const caf::error& why) {
  caf::error problem;
  auto result = packed_as(is_error, system, caf::make_message(why), problem);
  if (problem) // a text can always be written
    result = packed_as(is_error, system,
                       caf::make_message(make_error(errc::not_serializable,
                                                    render(why, system))),
                       problem);
  return result;
}

std::string bytes_of_result(caf::actor_system& system,
                            caf::mailbox_element& answer) {
  if (content_of(answer).match_elements<caf::error>())
    return bytes_of_error(system, content_of(answer).get_as<caf::error>(0));
  try { // copying a shared answer may throw
    return bytes_of_answer(system, take_content(answer));
  } catch (...) {
    return bytes_of_error(system,
                          make_error(errc::not_serializable, thrown_text()));
  }
}

bool is_error_in(std::string_view bytes) noexcept {
  return !bytes.empty() && bytes[0] == is_error;
}

caf::message answer_of(caf::actor_system& system, std::string_view bytes) {
  auto read = read_result(system, bytes);
  if (auto* content = std::get_if<caf::message>(&read))
    return std::move(*content);
  return caf::make_message(std::get<caf::error>(std::move(read)));
}

std::variant<caf::message, caf::error> read_result(caf::actor_system& system,
                                                   std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != is_answer && bytes[0] != is_error))
    return make_error(errc::unreadable,
                      "the bytes are not the result of a task");
  auto content = unpack(system, bytes.substr(1));
  auto* read = std::get_if<caf::message>(&content);
  if (read == nullptr || bytes[0] == is_answer)
    return content;
  if (read->match_elements<caf::error>())
    return read->get_as<caf::error>(0);
  return make_error(errc::unreadable,
                    "the result is marked as an error, but is not an error");
}

std::string too_large_text(std::size_t bytes, std::size_t most) {
  return "the content has " + std::to_string(bytes) + " bytes, and at most "
         + std::to_string(most)
         + " are possible: raise max_payload of the NATS servers, or send a "
           "name in place of the data";
}

} // namespace libpool

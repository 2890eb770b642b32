#include "libpool/actors/submit.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/futures/request_group.hpp"
#include "libpool/actors/futures/thread_client.hpp"

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>

namespace libpool {

request_failed::request_failed(caf::error why)
  : std::runtime_error(is_own(why) ? words_of(code_of(why), why.context())
                                   : rendered(why)),
    error_(std::move(why)) {
  // nop
}

std::optional<errc> request_failed::code() const noexcept {
  return is_own(error_) ? std::optional{code_of(error_)} : std::nullopt;
}

} // namespace libpool

namespace libpool::detail {

namespace {

template <class Type>
std::string names_of(std::size_t n, Type type) {
  std::string result = "(";
  for (std::size_t i = 0; i < n; ++i)
    result += (i == 0 ? "" : ", ") + name_of(type(i));
  return result + ')';
}

} // namespace

caf::error wrong_result(const std::vector<message_type>& expected,
                        const caf::message& answer) {
  auto wanted = names_of(expected.size(), [&](auto i) { return expected[i]; });
  auto given = names_of(answer.size(), [&](auto i) {
    return message_type_at(elements_of(answer), i);
  });
  return caf::make_error(caf::sec::unexpected_response,
                         "libpool: the request expects the result " + wanted
                           + ", but the answer is " + given);
}

caf::error unreadable_result() {
  return caf::make_error(caf::sec::runtime_error,
                         "libpool: the result cannot be copied: "
                           + thrown_text());
}

void send_requests(const caf::actor& pool, std::vector<caf::message> contents,
                   answers_taker taker) {
  if (is_nobody(pool))
    throw std::invalid_argument{
      "libpool: submit needs the handle of a pool, got a null handle"};
  auto& system = actor_behind(pool).home_system();
  caf::actor_config cfg;
  auto group = caf::make_actor<request_group, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, cfg,
    thread_client::of_system(system), contents.size(), std::move(taker));
  static_cast<request_group&>(*group->get()).ask(pool, std::move(contents));
}

} // namespace libpool::detail

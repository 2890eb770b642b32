#include "libpool/actors/futures/request_group.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/other_nodes.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/errors.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/caf/port/return_path.hpp"
#include "libpool/actors/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace libpool {

request_group::request_group(caf::actor_config& cfg,
                             caf::strong_actor_ptr client, std::size_t requests,
                             taker on_answers)
  : delivering(cfg),
    client_(std::move(client)),
    on_answers_(std::move(on_answers)),
    answers_(requests),
    is_settled_(requests),
    open_(requests) {
  // nop
}

void request_group::ask(const caf::actor& pool,
                        std::vector<caf::message> contents) {
  if (contents.empty())
    return on_answers_(answers_);
  auto first = thread_client::behind(client_).add(*this, contents.size());
  if (!first)
    return;
  first_ = *first;
  for (std::size_t i = 0; i < contents.size(); ++i)
    actor_behind(pool).enqueue(make_element(ctrl(),
                                            caf::make_message_id(first_ + i),
                                            std::move(contents[i])),
                               nullptr);
}

void request_group::fail(const caf::error& why) {
  for (std::size_t i = 0; i < is_settled_.size(); ++i)
    settle(i, caf::make_message(why));
}

void request_group::settle(std::size_t i, caf::message answer) {
  if (is_settled_[i].exchange(true))
    return;
  answers_[i] = std::move(answer);
  if (open_.fetch_sub(1) == 1)
    on_answers_(answers_);
}

void request_group::deliver(caf::mailbox_element_ptr&& element,
                            execution_context* host) {
  if (element->sender != nullptr && is_remote(*element->sender, home_system()))
    is_known_abroad_ = true;
  if (element->mid.is_response()) {
    auto i = element->mid.request_id().integer_value() - first_;
    if (i < is_settled_.size())
      settle(i, take_content(*element));
  } else if (element->mid.is_request()) {
    answer(take_return_path(*element), ctrl(),
           caf::make_message(make_error(errc::not_work)), host);
  }
  if (is_known_abroad_ && open_ == 0) // CAF's registry would keep this
    cleanup(caf::exit_reason::normal, host);
}

void request_group::unreachable() {
  if (open_ > 0)
    fail(dropped_request());
  thread_client::behind(client_).remove(*this);
  end_unreachable(*this);
}

} // namespace libpool

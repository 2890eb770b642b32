/// How a managed pool answers the messages that are for itself.

#include "libpool/actors/atoms.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/managed/managed_pool.hpp"

#include <caf/exit_reason.hpp>
#include <caf/make_message.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>
#include <caf/type_nr.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace libpool {

using caf::sys_atom;

bool managed_pool::is_control_message(std::uint32_t type_token) noexcept {
  using caf::make_type_token;
  return type_token == make_type_token<caf::exit_msg>()
         || type_token == make_type_token<caf::down_msg>()
         || type_token == make_type_token<sys_atom, caf::get_atom>()
         || type_token == make_type_token<sys_atom, caf::put_atom, caf::actor>()
         || type_token == make_type_token<sys_atom, resize_atom, int>()
         || type_token
              == make_type_token<sys_atom, resize_atom, std::uint64_t>();
}

/// Handles `what` if it is addressed to the pool itself.
bool managed_pool::manage(caf::mailbox_element& what, host_ptr host) {
  using caf::delete_atom;
  using caf::get_atom;
  using caf::put_atom;
  auto& content = what.content();
  if (content.match_elements<caf::exit_msg>()) {
    end_now(content.get_as<caf::exit_msg>(0).reason, host);
    return true;
  }
  if (content.match_elements<caf::down_msg>()) // nobody forges a death: the
    return confirm(what, caf::sec::unexpected_message, host); // pool sees those
  if (endings_.has_ended())
    return false; // refused like everything else
  if (content.match_elements<sys_atom, put_atom, caf::actor>())
    return confirm(what, put(content.get_as<caf::actor>(2)), host);
  if (content.match_elements<sys_atom, delete_atom, caf::actor>())
    return remove(&content.get_as<caf::actor>(2), what, host);
  if (content.match_elements<sys_atom, delete_atom>())
    return remove(nullptr, what, host);
  if (content.match_elements<sys_atom, get_atom>())
    return tell_workers(what, host);
  if (content.match_elements<sys_atom, drain_atom>())
    return drain(what);
  if (content.match_elements<sys_atom, resize_atom, std::uint64_t>())
    return resize(content.get_as<std::uint64_t>(2), what, host);
  if (content.match_elements<sys_atom, resize_atom, int>())
    return resize(
      static_cast<std::uint64_t>(std::max(content.get_as<int>(2), 0)), what,
      host);
  if (content.match_elements<sys_atom, stats_atom>()) {
    answer(take_return_path(what), ctrl(), caf::make_message(collect_stats()),
           host);
    return true;
  }
  return false;
}

/// Answers a change that was asked for; always true.
bool managed_pool::confirm(caf::mailbox_element& what, const caf::error& result,
                           host_ptr host) {
  if (result)
    refuse(what, result, host);
  else if (what.mid.is_request())
    answer(take_return_path(what), ctrl(), {}, host);
  return true;
}

void managed_pool::refuse(caf::mailbox_element& what, caf::error why,
                          host_ptr host) {
  if (what.mid.is_request())
    return answer(take_return_path(what), ctrl(),
                  caf::make_message(std::move(why)), host);
  if (pool_options_.on_refused == nullptr)
    return;
  try {
    refusal told{std::move(what.sender), what.mid,
                 what.move_content_to_message(), std::move(why)};
    pool_options_.on_refused(told);
  } catch (...) { // NOLINT(bugprone-empty-catch): documented
  }
}

/// Answers a GET; always true. As with CAF, one that is no request but has a
/// sender is answered as well.
bool managed_pool::tell_workers(const caf::mailbox_element& what,
                                host_ptr host) {
  std::vector<caf::actor> workers;
  for (auto* who : roster_.serving())
    workers.push_back(who->handle);
  answer({what.sender, what.mid, {}}, ctrl(),
         caf::make_message(std::move(workers)), host);
  return true;
}

bool managed_pool::resize(std::uint64_t n, caf::mailbox_element& what,
                          host_ptr host) {
  using caf::sec;
  if (endings_.drains())
    return confirm(what, errc::pool_closed, host);
  if (n == 0)
    return confirm(
      what,
      caf::make_error(sec::invalid_argument,
                      "libpool: resize: a pool has at least 1 worker"),
      host);
  if (n > options_.most_workers)
    return confirm(what,
                   caf::make_error(sec::invalid_argument,
                                   "libpool: resize: the pool has at most "
                                     + std::to_string(options_.most_workers)
                                     + " workers"),
                   host);
  if (!spawning_.has_factory())
    return confirm(what,
                   caf::make_error(sec::invalid_argument,
                                   "libpool: resize: the pool has no factory"),
                   host);
  auto size = roster_.serving().size() + spawning_.missing();
  for (; size < n; ++size)
    try_spawn();
  for (; size > n && spawning_.missing() > 0; --size)
    spawning_.drop_one();
  auto pending = std::make_shared<pending_answer>();
  if (what.mid.is_request())
    pending->to = {what.sender, what.mid, {}};
  auto workers = roster_.serving();
  for (; size > n; --size) {
    retire(*workers.back(), true, pending);
    workers.pop_back();
  }
  return pending->missing == 0 ? confirm(what, {}, host) : true;
}

} // namespace libpool

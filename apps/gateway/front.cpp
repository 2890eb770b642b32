#include "front.hpp"

#include "worker.hpp"

#include "port/sending.hpp"

#include "libpool/pool.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <optional>
#include <utility>

namespace gateway {

namespace {

using libpool::actor_pool;

constexpr const char* key_header = "X-Api-Key";
constexpr const char* deadline_header = "X-Deadline-Ms";
/// Maximum number of tenants in the stats and metrics of the pool.
constexpr std::size_t most_shown = 256;

/// Returns the deadline of the request; unset if its header is wrong.
std::optional<milliseconds> deadline_of(const request& asked,
                                        milliseconds otherwise) {
  const auto text = header_of(asked, deadline_header);
  if (text.empty())
    return otherwise;
  milliseconds::rep ms = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, ms);
  if (read.ec != std::errc{} || read.ptr != end || ms < 1
      || ms > longest_deadline.count())
    return std::nullopt;
  return milliseconds{ms};
}

/// Returns the time before a failed call is tried again: that of the upstream,
/// or zero for that of the back-off. Unset: the call is not tried again.
std::optional<libpool::duration> time_to_retry(const caf::error& why,
                                               unsigned) {
  if (why != caf::sec::runtime_error) // of the worker
    return std::nullopt;
  return libpool::retry_after(why).value_or(libpool::duration{0});
}

/// Returns the time in whole seconds, as `Retry-After` has it; at least 1.
std::int64_t seconds_of(libpool::duration time) {
  return std::max<std::int64_t>(
    std::chrono::ceil<std::chrono::seconds>(time).count(), 1);
}

std::string text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

} // namespace

front::front(asio::io_context& in, caf::actor_system& system,
             const options& options, tenants known)
  : in_(in),
    work_(in.get_executor()),
    how_(options),
    known_(std::move(known)),
    retries_(std::make_shared<std::atomic<std::uint64_t>>(0)),
    pool_(make_pool(system)),
    courier_(make_courier(system)),
    clients_(in, options.address, options.port,
             [this](const auto& source) { take(source); }),
    admin_(in, "127.0.0.1", options.admin_port,
           [this](const auto& source_source) { serve_admin(source_source); }) {
  libpool::pool_metrics_options shown;
  shown.flows = most_shown;
  collector_.add(pool_, "gateway", shown);
}

front::~front() {
  caf::anon_send_exit(courier_, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
}

caf::actor front::make_pool(caf::actor_system& system) {
  libpool::managed_options tasks;
  tasks.workers = how_.workers;
  tasks.capacity = how_.capacity;
  tasks.throttles = known_.throttles();
  tasks.id_of = libpool::flow_by<std::uint64_t>();
  tasks.deadline_of = [](const libpool::message_content& message) {
    const auto* left = libpool::first_of<caf::timespan>(message);
    return left == nullptr ? std::nullopt
                           : std::optional<libpool::duration>{*left};
  };
  if (how_.shed)
    tasks.shed = libpool::shed{*how_.shed};
  tasks.retry_on = time_to_retry;
  tasks.backoff.emplace();
  tasks.backoff->first = how_.backoff;
  tasks.backoff->times = how_.retries;
  tasks.retry_budget.emplace(); // an upstream that is down gets few retries
  tasks.on_settled = [retries = retries_](const libpool::settled_task& task) {
    *retries += task.retried_errors;
  };
  libpool::flow_options fair;
  fair.flow_of = libpool::flow_by<std::string>(); // the tenant
  fair.shares = known_.shares();
  fair.queue_limit = how_.tenant_capacity;
  fair.top_flows = most_shown;
  const upstream upstream{address_of(how_.upstream), how_.upstream,
                          how_.upstream_timeout};
  return libpool::spawn_pool(
    system, how_.workers, actor_pool::fair_queuing(fair, tasks),
    [&system, upstream] {
      return system.spawn<caf::detached>(worker, upstream);
    });
}

caf::actor front::make_courier(caf::actor_system& system) {
  reports reports;
  reports.answered = [this, &in = in_](std::uint64_t number, answer with) {
    asio::post(in, [this, number, with = std::move(with)]() mutable {
      answered(number, std::move(with));
    });
  };
  reports.drained = [this, &in = in_] {
    asio::post(in, [this] {
      is_drained_ = true;
      end_if_drained();
    });
  };
  return system.spawn(courier, pool_, reports);
}

void front::take(const std::shared_ptr<exchange>& exchange) {
  const auto& asked = exchange->asked();
  const auto who = known_.by_key.find(header_of(asked, key_header));
  if (who == known_.by_key.end())
    return refuse(exchange, 401, fmt::format("{} names no tenant", key_header));
  const auto deadline = deadline_of(asked, how_.deadline);
  if (!deadline)
    return refuse(exchange, 400,
                  fmt::format("{} must be an integer from 1 to {}, got '{}'",
                              deadline_header, longest_deadline.count(),
                              header_of(asked, deadline_header)));
  const auto number = ++last_;
  open_.emplace(number, open_request{exchange, who->second,
                                     std::chrono::steady_clock::now()});
  exchange->on_gone([this, number] { gone(number); });
  port::anon_send(courier_, who->second.name, number,
                  text_of(asked.method_string()), text_of(asked.target()),
                  asked.body(), caf::timespan{*deadline});
}

void front::refuse(const std::shared_ptr<exchange>& exchange, unsigned status,
                   const std::string& why) {
  account_.count("", status);
  exchange->answer(make_response(status, why + '\n'));
}

void front::serve_admin(const std::shared_ptr<exchange>& exchange) {
  const auto target = text_of(exchange->asked().target());
  if (target == "/ledger")
    return exchange->answer(
      make_response(200, ledger() + '\n', "application/json"));
  if (target != "/metrics")
    return exchange->answer(make_response(404, "see /metrics and /ledger\n"));
  auto families = collector_.Collect();
  families.push_back(account_.metric());
  exchange->answer(
    make_response(200, prometheus::TextSerializer{}.Serialize(families),
                  "text/plain; version=0.0.4; charset=utf-8"));
}

void front::answered(std::uint64_t number, answer with) {
  const auto found = open_.find(number);
  if (found == open_.end())
    return; // the client had gone
  const auto type = std::move(found->second);
  open_.erase(found);
  auto reply = make_response(with.status, std::move(with.content), with.type);
  if (with.retry_after)
    reply.set(http::field::retry_after,
              std::to_string(seconds_of(*with.retry_after)));
  note(type, with.status);
  type.from->answer(std::move(reply));
  end_if_drained();
}

void front::gone(std::uint64_t number) {
  const auto found = open_.find(number);
  if (found == open_.end())
    return;
  note(found->second, 499);
  open_.erase(found);
  port::anon_send(courier_, number); // after the request
  end_if_drained();
}

void front::note(const open_request& open, unsigned status) {
  account_.count(open.who.name, status);
  if (!how_.log)
    return;
  const std::chrono::duration<double, std::milli> took =
    std::chrono::steady_clock::now() - open.begun;
  const auto& asked = open.from->asked();
  std::cout << fmt::format("{} {} {} {} {:.1f}", open.who.name,
                           text_of(asked.method_string()),
                           text_of(asked.target()), status, took.count())
            << std::endl;
}

void front::reload() {
  auto next = read_tenants(how_.tenants);
  if (!ended_) {
    actor_pool::set_policy_values(pool_, {next.shares()});
    actor_pool::set_limits(pool_, next.throttles());
  }
  known_ = std::move(next);
}

void front::drain(std::function<void()> ended) {
  ended_ = std::move(ended);
  clients_.close();
  port::anon_send(courier_, caf::sys_atom{}, libpool::drain_atom{});
}

void front::end_if_drained() {
  if (!is_drained_ || !open_.empty())
    return;
  admin_.close();
  work_.reset();
  if (auto ended = std::exchange(ended_, nullptr))
    ended();
}

std::string front::ledger() const {
  return account_.ledger(actor_pool::summary(pool_), *retries_);
}

} // namespace gateway

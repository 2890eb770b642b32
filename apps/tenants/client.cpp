#include "client.hpp"

#include "port/sending.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tenants {

namespace {

constexpr duration rest = std::chrono::milliseconds{10};

instant this_moment() {
  return std::chrono::steady_clock::now();
}

} // namespace

client::client(caf::actor_config& cfg, caf::actor pool, instant end,
               std::uint64_t seed, experience& out)
  : caf::event_based_actor(cfg),
    pool_(std::move(pool)),
    end_(end),
    out_(out),
    random_(seed) {
  // nop
}

caf::behavior client::make_behavior() {
  const auto first = std::max<std::size_t>(out_.wanted.outstanding, 1);
  for (std::size_t i = 0; i < first; ++i)
    port::send(this, this, caf::tick_atom{});
  return {
    [this](caf::tick_atom) {
      ask();
      if (!floods())
        ask_later();
      end_if_over();
    },
  };
}

bool client::floods() const {
  return out_.wanted.outstanding > 0;
}

/// The name of the tenant goes with the request: by it the pool is fair.
void client::ask() {
  const auto sent = this_moment();
  if (sent >= end_)
    return;
  ++open_;
  port::request(this, pool_, patience, out_.wanted.tenant, draw_work())
    .then([this, sent] { answered(sent); },
          [this, sent](const caf::error& why) { failed(sent, why); });
}

void client::ask_later() {
  const auto pause = floods() ? rest : draw_gap();
  const auto left = std::max(end_ - this_moment(), duration{0});
  port::delayed_send(this, this, std::min(pause, left), caf::tick_atom{});
}

void client::answered(instant sent) {
  --open_;
  ++out_.answered;
  out_.times.record(this_moment() - sent);
  if (floods())
    ask();
  end_if_over();
}

void client::failed(instant sent, const caf::error& why) {
  --open_;
  if (why == caf::sec::request_timeout) {
    ++out_.gave_up;
    out_.times.record(this_moment() - sent);
  } else {
    ++out_.refused;
  }
  if (floods())
    ask_later();
  end_if_over();
}

void client::end_if_over() {
  if (open_ == 0 && this_moment() >= end_)
    quit();
}

/// Pauses as those of many independent users: of random length, independent of
/// the last request.
duration client::draw_gap() {
  const auto mean = static_cast<double>(out_.wanted.gap.count());
  std::exponential_distribution<double> gaps{1 / mean};
  return duration{static_cast<duration::rep>(gaps(random_))};
}

duration client::draw_work() {
  std::uniform_int_distribution<duration::rep> works{
    out_.wanted.shortest.count(), out_.wanted.longest.count()};
  return duration{works(random_)};
}

} // namespace tenants

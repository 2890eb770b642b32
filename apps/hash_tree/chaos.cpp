#include "chaos.hpp"

#include "port/sending.hpp"

#include <algorithm>
#include <chrono>

namespace hash_tree {

namespace {

constexpr auto interval = std::chrono::milliseconds{100};
constexpr std::uint32_t seed = 20260101;

bool contains(const std::vector<caf::actor>& all, const caf::actor& actor) {
  return std::find(all.begin(), all.end(), actor) != all.end();
}

template <class Predicate>
void erase_if(std::vector<caf::actor>& actors, Predicate goes) {
  actors.erase(std::remove_if(actors.begin(), actors.end(), goes),
               actors.end());
}

} // namespace

libpool::managed_options chaos_options() {
  libpool::managed_options out;
  out.restart.max = 100'000;
  out.restart.pause = std::chrono::milliseconds{10};
  out.restart.longest_pause = out.restart.pause;
  out.on_crash = libpool::retry{100};
  return out;
}

killer::killer(caf::actor_config& cfg, caf::actor pool,
               std::atomic<std::uint64_t>& kills)
  : caf::event_based_actor(cfg),
    pool_(std::move(pool)),
    kills_(kills),
    draw_(seed) {
  // nop
}

caf::behavior killer::make_behavior() {
  port::delayed_send(this, this, interval, caf::tick_atom{});
  return {[this](caf::tick_atom) { look(); }};
}

void killer::on_exit() {
  pool_ = nullptr;
  doomed_.clear();
}

void killer::look() {
  port::delayed_send(this, this, interval, caf::tick_atom{});
  port::request(this, pool_, caf::infinite, caf::sys_atom{}, caf::get_atom{})
    .then([this](workers& all) { kill_one_of(std::move(all)); },
          [this](const caf::error&) { quit(); });
}

void killer::kill_one_of(workers candidates) {
  erase_if(doomed_, [&](const auto& x) { return !contains(candidates, x); });
  erase_if(candidates, [&](const auto& x) { return contains(doomed_, x); });
  if (candidates.empty())
    return;
  doomed_.push_back(candidates[draw_() % candidates.size()]);
  caf::anon_send_exit(doomed_.back(), caf::exit_reason::kill);
  kills_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace hash_tree

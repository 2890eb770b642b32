#include "policies.hpp"

#include "messages.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hash_tree {

namespace {

using libpool::actor_pool;
using libpool::managed_options;
using shares = std::vector<std::pair<caf::actor, caf::message>>;

std::size_t one_file(std::size_t) {
  return 1;
}

std::size_t eight_per_worker(std::size_t workers) {
  return 8 * workers;
}

std::size_t one_worker(std::size_t, std::size_t) {
  return 1;
}

std::size_t all_workers(std::size_t, std::size_t workers) {
  return workers;
}

std::size_t a_worker_per_file(std::size_t files, std::size_t workers) {
  return std::min(files, workers);
}

/// Deals the files of a batch out like cards. Who gets no file gets no task.
void deal(shares& parts, caf::message& whole) {
  const auto& all = whole.get_as<batch>(0);
  std::vector<batch> hands(std::min(parts.size(), all.files.size()));
  for (std::size_t i = 0; i < all.files.size(); ++i)
    hands[i % hands.size()].files.push_back(all.files[i]);
  for (std::size_t i = 0; i < hands.size(); ++i) {
    hands[i].id = all.id;
    parts[i].second = caf::make_message(std::move(hands[i]));
  }
}

void collect(outcomes& all, caf::message& part) {
  const auto& more = part.get_as<outcomes>(0).files;
  all.files.insert(all.files.end(), more.begin(), more.end());
}

actor_pool::policy shared_queue(const managed_options& told) {
  return actor_pool::shared_queue(told);
}

actor_pool::policy round_robin(const managed_options&) {
  return actor_pool::round_robin();
}

actor_pool::policy random(const managed_options&) {
  return actor_pool::random();
}

actor_pool::policy broadcast(const managed_options&) {
  return actor_pool::broadcast();
}

actor_pool::policy dealing(const managed_options&) {
  return actor_pool::split_join<outcomes>(collect, deal);
}

} // namespace

const std::vector<pool_policy>& pool_policies() {
  static const std::vector<pool_policy> entries{
    {"shared_queue", shared_queue, one_file, one_worker},
    {"round_robin", round_robin, one_file, one_worker},
    {"random", random, one_file, one_worker},
    {"broadcast", broadcast, one_file, all_workers},
    {"split_join", dealing, eight_per_worker, a_worker_per_file},
  };
  return entries;
}

const pool_policy* find_policy(std::string_view name) {
  const auto& all = pool_policies();
  const auto i = std::find_if(all.begin(), all.end(), [=](const auto& entry) {
    return entry.name == name;
  });
  return i == all.end() ? nullptr : &*i;
}

bool is_managed(const pool_policy& policy) {
  return policy.make({}).managed() != nullptr;
}

} // namespace hash_tree

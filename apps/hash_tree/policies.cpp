#include "policies.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace hash_tree {

namespace {

using libpool::actor_pool;
using libpool::managed_options;
using shares = std::vector<std::pair<caf::actor, caf::message>>;

/// So that what a request costs in client, pool and worker is little beside its
/// files, and what lies with one worker at the end of a run is done in a
/// moment.
constexpr std::uint64_t few_bytes = std::uint64_t{128} * 1024;
constexpr auto any_bytes = std::numeric_limits<std::uint64_t>::max();

std::size_t few_files(std::size_t) {
  return 16;
}

std::size_t eight_per_worker(std::size_t workers) {
  return 8 * workers;
}

std::size_t one_worker(std::size_t) {
  return 1;
}

std::size_t all_workers(std::size_t workers) {
  return workers;
}

/// Deals the files of a batch out like cards. A worker without a file gets no
/// task.
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

const file_task& first_file(const libpool::message_content& message) {
  return message.get_as<batch>(0).files.front();
}

/// Small files first: so the average file is done soonest. In steps of 8 KiB,
/// which take as long as to open a file: less does not make one shorter.
std::int64_t shortness(const file_task& file) {
  return -static_cast<std::int64_t>(file.size / 8192);
}

std::int64_t priority(const libpool::message_content& message) {
  return shortness(first_file(message));
}

/// The folder that a file is in.
std::string_view folder_of(std::string_view file) {
  return file.substr(0, file.rfind('/'));
}

/// The files of a folder go to one worker.
std::optional<std::uint64_t> folder(const libpool::message_content& message) {
  return std::hash<std::string_view>{}(folder_of(first_file(message).path));
}

/// The folder right below one of the paths that a file is in.
std::string_view top_folder(std::string_view file,
                            const std::vector<std::string>& paths) {
  for (const std::string_view path : paths)
    if (file.size() > path.size() && file.substr(0, path.size()) == path) {
      const auto name = file.find_first_not_of('/', path.size());
      return file.substr(0, file.find('/', name));
    }
  return file;
}

/// The files of each folder at the top prefer one worker.
auto home_by_folder(const std::vector<std::string>& paths,
                    std::size_t workers) {
  return [=](const libpool::message_content& message) {
    const auto folder = top_folder(first_file(message).path, paths);
    return std::optional{std::hash<std::string_view>{}(folder) % workers};
  };
}

bool same_folder(const file_task& x, const file_task& y,
                 const std::vector<std::string>&) {
  return folder_of(x.path) == folder_of(y.path);
}

bool any_files(const file_task&, const file_task&,
               const std::vector<std::string>&) {
  return true;
}

/// Files with one key, one priority and one home, as far as the policy asks for
/// these.
auto alike_for(const libpool::recipe& recipe) {
  const bool by_size = recipe.order.name() == "priority";
  const bool by_home = recipe.stealing.has_value();
  return [=](const file_task& x, const file_task& y,
             const std::vector<std::string>& paths) {
    return same_folder(x, y, paths)
           && (!by_size || shortness(x) == shortness(y))
           && (!by_home
               || top_folder(x.path, paths) == top_folder(y.path, paths));
  };
}

/// Managed as the catalogue says.
actor_pool::policy managed(const libpool::recipe& recipe, managed_options told,
                           const std::vector<std::string>& paths) {
  libpool::message_functions asked;
  if (recipe.order.name() == "priority")
    asked.priority_of = priority;
  if (recipe.placement.name() == "consistent_hash")
    asked.key_of = folder;
  if (recipe.stealing)
    asked.home_of = home_by_folder(paths,
                                   std::max<std::size_t>(told.workers, 1));
  return actor_pool::managed(recipe, std::move(told), std::move(asked));
}

/// A direct policy has no options.
template <class Make>
auto direct(Make make) {
  return [make](const managed_options&, const std::vector<std::string>&) {
    return make();
  };
}

} // namespace

const std::vector<pool_policy>& pool_policies() {
  static const auto entries = [] {
    std::vector<pool_policy> result;
    for (const auto& entry : libpool::managed_policies())
      result.push_back({entry.name,
                        [&entry](const managed_options& told,
                                 const std::vector<std::string>& paths) {
                          return managed(entry, told, paths);
                        },
                        few_files, few_bytes, alike_for(entry), one_worker});
    result.push_back({"round_robin",
                      direct([] { return actor_pool::round_robin(); }),
                      few_files, few_bytes, same_folder, one_worker});
    result.push_back({"random", direct([] { return actor_pool::random(); }),
                      few_files, few_bytes, same_folder, one_worker});
    result.push_back({"broadcast",
                      direct([] { return actor_pool::broadcast(); }), few_files,
                      few_bytes, same_folder, all_workers});
    result.push_back({"split_join", direct([] {
                        return actor_pool::split_join<outcomes>(collect, deal);
                      }),
                      eight_per_worker, any_bytes, any_files, one_worker});
    return result;
  }();
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
  return policy.make({}, {}).managed() != nullptr;
}

} // namespace hash_tree

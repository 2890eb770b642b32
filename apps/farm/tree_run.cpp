#include "tree_run.hpp"

#include "hash_tree/format.hpp"
#include "hash_tree/walk.hpp"
#include "libpool/pool.hpp"
#include "node.hpp"
#include "port/sending.hpp"
#include "submitter.hpp"

#include "console/progress_line.hpp"
#include "console/text.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farm {

namespace {

bool is_lost(const libpool::settled_task& task) {
  return task.reason == libpool::errc::node_lost
         || task.reason == libpool::errc::front_lost
         || task.reason == libpool::errc::retries_exhausted;
}

void count(const libpool::settled_task& task, losses& lost) {
  if (is_lost(task))
    ++lost.files_lost;
  else if (task.crashes > 0)
    ++lost.files_repeated;
  lost.repetitions += task.crashes;
}

} // namespace

tree_run::tree_run(const tree_options& options)
  : options_(options), ends_(stop_), console_("farm", &stop_) {
  // nop
}

libpool::managed_options tree_run::tasks() const {
  libpool::managed_options result;
  if (options_.retries > 0)
    result.on_crash = libpool::retry{options_.retries};
  result.on_settled = [lost = lost_](const libpool::settled_task& task) {
    count(task, *lost);
  };
  return result;
}

void tree_run::hash(caf::actor_system& system, const caf::actor& pool,
                    const roll_call& nodes, bool with_ids) {
  live_page::page page{options_.live, [this](const auto& line) { tell(line); }};
  page.add(pool, "farm");
  const console::progress_line line{
    console_, [&](double seconds, std::size_t width) {
      return render({files_, bytes_, seconds},
                    nodes ? nodes() : std::vector<node_glance>{}, width);
    }};
  hash_tree::walk files{options_.paths, false};
  const submission submission{pool, options_.capacity, options_.largest,
                              [this](const result& each) { settled(each); },
                              with_ids};
  caf::scoped_actor self{system};
  const auto client = self->spawn<submitter, caf::detached>(submission, files,
                                                            stop_);
  self->monitor(client);
  bool is_over = false;
  while (!is_over)
    self->receive([&](const caf::down_msg&) { is_over = true; },
                  caf::after(tick) >>
                    [&] {
                      if (stop_)
                        port::anon_send(client, caf::tick_atom{});
                      tell_nodes(nodes);
                    });
  tell_nodes(nodes);
}

void tree_run::serve(caf::actor_system& system, const caf::actor& pool,
                     const roll_call& nodes,
                     const std::atomic<bool>& is_serving, bool drains) {
  live_page::page page{options_.live, [this](const auto& line) { tell(line); }};
  page.add(pool, "farm");
  caf::scoped_actor self{system};
  self->monitor(pool);
  std::optional<caf::error> end;
  while (!end && (drains || !stop_))
    self->receive([&](const caf::down_msg& down) { end = down.reason; },
                  caf::after(tick) >>
                    [&] {
                      if (is_serving)
                        tell_nodes(nodes);
                      if (stop_ && !std::exchange(is_drained_, drains)) {
                        tell("ends what the pool has");
                        libpool::actor_pool::drain(pool);
                      }
                    });
  if (!end || stop_)
    return;
  tell("the pool has ended: " + libpool::render(*end, system));
  has_lost_pool_ = true;
}

void tree_run::tell(const std::string& line) {
  console_.complain(line);
}

void tree_run::tell_nodes(const roll_call& nodes) {
  if (nodes)
    for (const auto& line : attendance_.update(nodes()))
      tell(line);
}

void tree_run::settled(const result& each) {
  account_.count(each);
  files_ = account_.all().files;
  bytes_ = account_.all().bytes;
  if (each.skipped)
    tell(console::printable(each.path) + ": not a regular file, skipped");
  else if (!each.error.empty())
    tell(console::printable(each.path) + ": " + each.error);
  else
    console_.print(hash_tree::digest_line(each.value, each.path));
}

int tree_run::finish() {
  const auto is_complete = console_.finish();
  for (const auto& line : account_.lines(*lost_))
    tell(line);
  if (ends_.came()) {
    if (!is_drained_)
      tell("stopped before all files were hashed");
    return ends_.exit_code();
  }
  return account_.failed() == 0 && is_complete && !has_lost_pool_ ? success
                                                                  : some_failed;
}

} // namespace farm

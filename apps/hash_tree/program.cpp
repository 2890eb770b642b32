#include "program.hpp"

#include "account.hpp"
#include "format.hpp"
#include "libpool/actors/set_up.hpp"
#include "messages.hpp"
#include "port/configuring.hpp"
#include "progress.hpp"

#include "console/text.hpp"

#include <fmt/format.h>

#include <system_error>

namespace hash_tree {

namespace {

/// CAF's own threads: only actors that `split_join` spawns run there, workers
/// have threads of their own.
constexpr std::size_t scheduler_threads = 2;

} // namespace

program::program(options options)
  : options_(std::move(options)),
    job_{options_.paths, options_.follow, options_.workers, options_.chaos},
    ends_(stop_, [this] { return "hash_tree: " + interruption(); }),
    console_("hash_tree", &stop_) {
  // nop
}

int program::run() {
  if (!open_outputs())
    return some_failed;
  try {
    hash();
  } catch (const std::exception& why) {
    fail(why.what());
  }
  close_report();
  if (!console_.finish())
    failed_ = true;
  if (!ends_.came())
    return failed_ || sums_.errors > 0 ? some_failed : success;
  console_.complain(interruption());
  return ends_.exit_code();
}

void program::hash() {
  caf::actor_system_config config;
  libpool::set_up(config);
  port::add_message_types<caf::id_block::hash_tree>(config);
  port::set_threads(config, scheduler_threads);
  caf::actor_system system{config};
  if (options_.compare)
    compare_with(system);
  else
    hash_with(system);
}

void program::hash_with(caf::actor_system& system) {
  const auto& policy = *find_policy(options_.policy);
  run_state state{job_.workers, stop_};
  if (!drawings_.empty())
    state.seen = std::make_shared<recording>(system, job_.paths);
  live_page::page page{options_.live,
                       [this](const auto& line) { console_.complain(line); }};
  state.page = &page;
  const auto copies = policy.workers_per_file(job_.workers);
  {
    const progress_bar bar{console_, state, copies, job_.paths, job_.follow};
    run_pool(system, policy, job_, *this, state);
  }
  give_account(state);
  if (state.seen != nullptr)
    draw(state.seen->to_timeline());
}

void program::give_account(const run_state& state) {
  if (options_.stats)
    for (const auto& line : stats_lines(state))
      console_.complain(line);
  if (!options_.chaos)
    return;
  console_.complain(chaos_line(state));
  if (!is_settled(state.pool->tasks))
    fail("the counters of the pool are inconsistent");
}

void program::compare_with(caf::actor_system& system) {
  comparison_ = std::make_unique<comparison>(
    compare(system, job_, *this, stop_,
            [this](const std::string& text) { console_.show_status(text); }));
  console_.show_status("");
  if (stop_) {
    comparison_.reset();
    return;
  }
  console_.print(table(*comparison_));
  for (const auto& name : comparison_->different)
    fail(name + ": the digests differ from those of the first run");
}

void program::settled(const result& result) {
  sums_.count(result);
  files_ = sums_.files;
  bytes_ = sums_.bytes;
  if (result.skipped)
    console_.complain(console::printable(result.path)
                      + ": not a regular file, skipped");
  else if (!result.error.empty())
    console_.complain(console::printable(result.path) + ": " + result.error);
  else if (!options_.compare)
    console_.print(digest_line(result.value, result.path));
  add_to_report(result);
}

/// A full disk ends the report, not the program.
void program::add_to_report(const result& result) try {
  if (report_ != nullptr)
    report_->add(result);
} catch (const std::system_error& why) {
  fail_report(why);
}

/// The report comes last: a file that is open when another one cannot be opened
/// is left empty.
bool program::open_outputs() {
  return open_drawing(options_.trace, libpool::write_trace)
         && open_drawing(options_.plot, libpool::write_gantt) && open_report();
}

bool program::open_drawing(const std::string& path,
                           timeline_file::writer writer) try {
  if (!path.empty())
    drawings_.push_back({path, timeline_file{path, writer}});
  return true;
} catch (const std::system_error& why) {
  fail_output(path, why);
  return false;
}

void program::draw(const libpool::timeline& timeline) {
  for (auto& each : drawings_) {
    try {
      each.file.write(timeline);
    } catch (const std::system_error& why) {
      fail_output(each.path, why);
    }
  }
}

bool program::open_report() try {
  if (!options_.json.empty())
    report_ = std::make_unique<json_report>(options_.json);
  return true;
} catch (const std::system_error& why) {
  fail_report(why);
  return false;
}

void program::close_report() try {
  if (report_ != nullptr)
    report_->close(sums_, stop_, comparison_.get());
} catch (const std::system_error& why) {
  fail_report(why);
}

void program::fail_report(const std::system_error& why) {
  report_.reset();
  fail_output(options_.json, why);
}

void program::fail_output(const std::string& path,
                          const std::system_error& why) {
  fail(console::printable(path) + ": " + why.code().message());
}

void program::fail(const std::string& message) {
  console_.complain(message);
  failed_ = true;
}

std::string program::interruption() const {
  return fmt::format("interrupted: {} files done, {}", files_.load(),
                     console::human_bytes(bytes_));
}

} // namespace hash_tree

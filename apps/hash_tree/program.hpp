#pragma once

#include "options.hpp"
#include "recording.hpp"
#include "report.hpp"
#include "results.hpp"
#include "run.hpp"

#include "console/outputs.hpp"
#include "console/signals.hpp"

#include <memory>
#include <system_error>
#include <vector>

namespace hash_tree {

/// The program behind the command line: lines to standard output, messages to
/// standard error, JSON to its file.
class program final : private sink {
public:
  explicit program(options options);

  /// Does it all and returns the exit code.
  int run();

private:
  void settled(const result& result) override;
  bool open_outputs();
  bool open_report();
  bool open_drawing(const std::string& path, timeline_file::writer writer);
  void add_to_report(const result& result);
  void close_report();
  void fail_report(const std::system_error& why);
  void fail_output(const std::string& path, const std::system_error& why);
  void hash();
  void hash_with(caf::actor_system& system);
  void give_account(const run_state& state);
  void draw(const libpool::timeline& timeline);
  void compare_with(caf::actor_system& system);
  void fail(const std::string& message);
  std::string interruption() const;

  struct drawing {
    std::string path;
    timeline_file file;
  };

  const options options_;
  const job job_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
  totals sums_;
  bool failed_ = false;
  console::signals ends_;
  console::outputs console_;
  std::unique_ptr<json_report> report_;
  std::vector<drawing> drawings_;
  std::unique_ptr<comparison> comparison_;
};

} // namespace hash_tree

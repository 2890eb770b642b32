#include "front.hpp"

#include "attendance.hpp"
#include "hash_tree/format.hpp"
#include "herd.hpp"
#include "libpool/pool.hpp"
#include "libpool/remote/gate.hpp"
#include "node.hpp"
#include "port/sending.hpp"
#include "submitter.hpp"

#include "console/outputs.hpp"
#include "console/progress_line.hpp"
#include "console/signals.hpp"
#include "console/text.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace farm {

namespace {

constexpr std::size_t scheduler_threads = 2;

/// A run of the front: what its threads share.
class run {
public:
  explicit run(const front_options& options)
    : options_(options), ends_(stop_), console_("farm", &stop_) {
    // nop
  }

  int operator()() {
    node_config config{options_.known.files, scheduler_threads};
    caf::actor_system system{config};
    make_pool(system);
    hash(system);
    return status(report());
  }

private:
  void make_pool(caf::actor_system& system) {
    libpool::node_options nodes;
    nodes.token = token_in(options_.known.token_file);
    nodes.lease = options_.lease;
    libpool::managed_options tasks;
    if (options_.retries > 0)
      tasks.on_crash = libpool::retry{options_.retries};
    tasks.on_settled = [lost = lost_](const libpool::settled_task& task) {
      count(task, *lost);
    };
    pool_ = libpool::actor_pool::make(
      system, libpool::actor_pool::distributed(
                nodes, libpool::actor_pool::shared_queue(tasks)));
  }

  static void count(const libpool::settled_task& task, losses& lost) {
    if (task.reason == libpool::errc::node_lost
        || task.reason == libpool::errc::retries_exhausted)
      ++lost.files_lost;
    else if (task.crashes > 0)
      ++lost.files_repeated;
    lost.repetitions += task.crashes;
  }

  void hash(caf::actor_system& system) {
    libpool::gate_options where;
    where.address = options_.address;
    where.port = options_.port;
    where.reuse_address = true;
    auto gate = libpool::gate::for_agents(system, pool_, where);
    if (!gate) {
      end_pool();
      throw std::runtime_error(libpool::render(gate.error(), system));
    }
    console_.complain(fmt::format("nodes can join at port {}", gate->port()));
    std::optional<herd> own;
    if (options_.agents > 0)
      own.emplace(options_, gate->port(),
                  [this](const auto& line) { console_.complain(line); });
    submit(system);
    end_pool();
  }

  void submit(caf::actor_system& system) {
    live_page::page page{options_.live,
                         [this](const auto& line) { console_.complain(line); }};
    page.add(pool_, "farm");
    const console::progress_line line{
      console_, [this](double seconds, std::size_t width) {
        return render({files_, bytes_, seconds}, nodes(), width);
      }};
    hash_tree::walk files{options_.paths, false};
    const submission to{pool_, options_.capacity, options_.largest,
                        [this](const result& each) { settled(each); }};
    caf::scoped_actor self{system};
    const auto client = self->spawn<submitter, caf::detached>(to, files, stop_);
    self->monitor(client);
    bool is_over = false;
    while (!is_over)
      self->receive([&](const caf::down_msg&) { is_over = true; },
                    caf::after(tick) >>
                      [&] {
                        if (stop_)
                          port::anon_send(client, caf::tick_atom{});
                        tell_nodes();
                      });
    tell_nodes();
  }

  std::vector<node_glance> nodes() const {
    std::vector<node_glance> out;
    for (const auto& each : libpool::nodes_of(pool_).nodes)
      out.push_back(
        {each.worker.id(), each.name, each.labels, each.slots, each.in_flight});
    return out;
  }

  void tell_nodes() {
    for (const auto& line : attendance_.update(nodes()))
      console_.complain(line);
  }

  void settled(const result& each) {
    account_.count(each);
    files_ = account_.all().files;
    bytes_ = account_.all().bytes;
    if (each.skipped)
      console_.complain(console::printable(each.path)
                        + ": not a regular file, skipped");
    else if (!each.error.empty())
      console_.complain(console::printable(each.path) + ": " + each.error);
    else
      console_.print(hash_tree::digest_line(each.value, each.path));
  }

  void end_pool() {
    caf::anon_send_exit(pool_, caf::exit_reason::user_shutdown);
    pool_ = nullptr;
  }

  /// Whether all digests could be written.
  bool report() {
    const auto is_complete = console_.finish();
    for (const auto& line : account_.lines(*lost_))
      console_.complain(line);
    if (ends_.came())
      console_.complain("stopped before all files were hashed");
    return is_complete;
  }

  int status(bool is_complete) const {
    if (ends_.came())
      return ends_.exit_code();
    return account_.failed() == 0 && is_complete ? success : some_failed;
  }

  const front_options& options_;
  std::atomic<bool> stop_{false};
  const console::signals ends_;
  console::outputs console_;
  caf::actor pool_;
  /// Told by the pool, in one thread at a time.
  const std::shared_ptr<losses> lost_ = std::make_shared<losses>();
  attendance attendance_;
  account account_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

} // namespace

int run_front(const front_options& options) {
  return run{options}();
}

} // namespace farm

#include "agent.hpp"

#include "hashing.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/pool.hpp"
#include "node.hpp"
#include "port/sending.hpp"

#include "console/command_line.hpp"
#include "console/outputs.hpp"
#include "console/signals.hpp"
#include "console/text.hpp"

#include <caf/all.hpp>
#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>

namespace farm {

namespace {

std::size_t slots_of(const agent_options& options) {
  return options.slots > 0 ? options.slots : console::one_per_core(most_slots);
}

/// Tells what the agent does.
class log {
public:
  explicit log(const std::string& name) : name_(console::printable(name)) {
    // nop
  }

  void say(const std::string& what) {
    if (what == last_)
      return;
    last_ = what;
    out_.complain(fmt::format("{} {}", name_, what));
  }

  void look(const libpool::agent_state& state,
            const caf::actor_system& system) {
    if (state.trouble)
      say("is not connected: " + libpool::render(state.trouble, system));
    else if (state.session)
      say("has joined the pool");
  }

private:
  console::outputs out_{"farm"};
  std::string name_;
  std::string last_;
};

/// Whether the agent has ended as it should.
bool is_well(const caf::error& why) {
  return why == caf::exit_reason::user_shutdown
         || why == libpool::errc::pool_closed;
}

libpool::join_options offer_of(const agent_options& options) {
  libpool::join_options out;
  out.slots = slots_of(options);
  out.name = options.to.name;
  out.labels = options.labels;
  return out;
}

/// Waits until the agent has ended; returns why.
caf::error accompany(const caf::actor& agent, caf::actor_system& system,
                     const std::atomic<bool>& stop, log& out) {
  std::optional<caf::error> end;
  bool leaves = false;
  caf::scoped_actor self{system};
  self->monitor(agent);
  while (!end) {
    self->receive([&](const caf::down_msg& down) { end = down.reason; },
                  caf::after(tick) >>
                    [&] {
                      if (stop && !std::exchange(leaves, true)) {
                        out.say("is leaving the pool");
                        port::anon_send(agent, caf::sys_atom{},
                                        libpool::drain_atom{});
                      }
                      if (!leaves)
                        out.look(libpool::agent_stats(agent), system);
                    });
  }
  return *end;
}

} // namespace

int run_agent(const agent_options& options) {
  std::atomic<bool> stop{false};
  const console::signals ends{stop};
  node_config config{slots_of(options)};
  caf::actor_system system{config};
  const auto make = [&] { return system.spawn(hasher, options.to.name); };
  const auto agent = libpool::join_pool(system, pool_at(options.to),
                                        offer_of(options), make);
  log out{options.to.name};
  const auto why = accompany(agent, system, stop, out);
  out.say(fmt::format("hashed {} files and ended: {}",
                      libpool::agent_stats(agent).done,
                      libpool::render(why, system)));
  return is_well(why) ? success : some_failed;
}

} // namespace farm

/// `party`: a distributed pool, its nodes and its clients as programs, for the
/// scripts in ../events. FOLDER has certificates. Those who are *new* know a
/// type of messages, a note, that others do not.
///
/// `party pool FOLDER [ADDRESS [SECONDS]]` has leases of so many seconds,
/// prints the port for nodes and the one for clients, and obeys words of input:
/// prints the square of a number, the answer to any other word as a note, for
/// `cancelled` how many tasks nobody waited for any more, for `waiting` how
/// many wait, for `nodes` how many of these serve, and for `lost` how often
/// tasks were lost with one. `party serve FOLDER PORT ADDRESS [new]` computes
/// for it, and `party ask FOLDER PORT TASKS` sends it so many numbers, and
/// waits.

#include "libpool/pool.hpp"
#include "libpool/remote/connect.hpp"
#include "libpool/remote/gate.hpp"
#include "libpool/remote/join_pool.hpp"
#include "libpool/remote/network.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace party {

struct note {
  std::string text;
};

template <class Inspector>
libpool::inspection<Inspector> inspect(Inspector& f, note& x) {
  return libpool::inspect_fields(f, x, "note", libpool::field{"text", x.text});
}

} // namespace party

CAF_BEGIN_TYPE_ID_BLOCK(party, caf::first_custom_type_id)

CAF_ADD_TYPE_ID(party, (party::note))

CAF_END_TYPE_ID_BLOCK(party)

namespace party {

namespace {

using namespace std::chrono_literals;
using libpool::actor_pool;

constexpr const char* token = "of this farm";

/// The command line behind the role and the folder.
struct arguments {
  std::uint16_t port = 0;
  std::string address = "127.0.0.1";
  std::chrono::seconds lease{1};
  bool is_new = false;
  int tasks = 0;
};

caf::behavior squarer() {
  return {[](std::int32_t x) { return x * x; }};
}

caf::behavior new_squarer() {
  return {[](std::int32_t x) { return x * x; },
          [](const note& x) { return note{x.text + "!"}; }};
}

// -- the pool -----------------------------------------------------------------

void answer_number(caf::actor_system& system, const caf::actor& pool,
                   std::int32_t number) {
  caf::scoped_actor self{system};
  port::request(self, pool, 60s, number)
    .receive([](std::int32_t square) { std::cout << square << std::endl; },
             [&](const caf::error& why) {
               std::cout << libpool::render(why, system) << std::endl;
             });
}

void answer_note(caf::actor_system& system, const caf::actor& pool,
                 const std::string& text) {
  caf::scoped_actor self{system};
  port::request(self, pool, 60s, note{text})
    .receive([](const note& got) { std::cout << got.text << std::endl; },
             [&](const caf::error& why) {
               std::cout << libpool::render(why, system) << std::endl;
             });
}

/// Of the tasks that are settled.
struct counts {
  std::atomic<int> cancelled{0};
  std::atomic<unsigned> lost{0};
};

void obey(caf::actor_system& system, const caf::actor& pool,
          const counts& seen) {
  std::string word;
  while (std::cin >> word)
    if (word == "cancelled")
      std::cout << seen.cancelled << std::endl;
    else if (word == "lost")
      std::cout << seen.lost << std::endl;
    else if (word == "waiting")
      std::cout << actor_pool::stats(pool).tasks.waiting << std::endl;
    else if (word == "nodes")
      std::cout << libpool::nodes_of(pool).nodes.size() << std::endl;
    else if (std::all_of(word.begin(), word.end(),
                         [](char x) { return x >= '0' && x <= '9'; }))
      answer_number(system, pool, std::atoi(word.c_str()));
    else
      answer_note(system, pool, word);
}

int run_pool(caf::actor_system& system, const arguments& with) {
  counts seen;
  libpool::managed_options options;
  options.on_crash = libpool::retry{3};
  options.on_settled = [&](const libpool::settled_task& task) {
    seen.cancelled += task.reason == libpool::errc::client_gone ? 1 : 0;
    seen.lost += task.crashes;
  };
  libpool::node_options nodes;
  nodes.token = token;
  nodes.lease = with.lease;
  auto pool = actor_pool::make(
    system, actor_pool::distributed(nodes, actor_pool::shared_queue(options)));
  libpool::gate_options where;
  where.address = with.address;
  auto entrance = libpool::gate::for_agents(system, pool, where);
  auto counter = libpool::gate::for_submitters(system, pool, where);
  if (!entrance || !counter) {
    std::cerr << "the gates do not open\n";
    return EXIT_FAILURE;
  }
  std::cout << entrance->port() << std::endl << counter->port() << std::endl;
  obey(system, pool, seen);
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

// -- others -------------------------------------------------------------------

void wait_for_ever() {
  std::string line;
  while (std::getline(std::cin, line)) {
    // until it is killed
  }
}

int serve(caf::actor_system& system, const arguments& with) {
  libpool::join_options offer;
  offer.token = token;
  offer.slots = 2;
  auto make = [&system, &with] {
    return with.is_new ? system.spawn(new_squarer) : system.spawn(squarer);
  };
  auto agent = libpool::join_pool(system, {with.address, with.port}, offer,
                                  make);
  wait_for_ever();
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

int ask(caf::actor_system& system, const arguments& with) {
  auto pool = libpool::connect(system, {with.address, with.port}, {20s});
  if (!pool) {
    std::cerr << libpool::render(pool.error(), system) << '\n';
    return EXIT_FAILURE;
  }
  auto asker = system.spawn([&](caf::event_based_actor* self) {
    for (auto i = 0; i < with.tasks; ++i)
      port::request(self, *pool, caf::infinite, std::int32_t{i})
        .then([](std::int32_t) {});
  });
  wait_for_ever();
  caf::anon_send_exit(asker, caf::exit_reason::kill);
  return EXIT_SUCCESS;
}

int run(const std::string& role, const std::string& folder,
        const arguments& with) {
  const auto me = folder + (role == "pool" ? "/server" : "/client");
  caf::actor_system_config config;
  libpool::set_up(config);
  if (role == "pool" || with.is_new)
    port::add_message_types<caf::id_block::party>(config);
  libpool::load_network(config);
  libpool::use_tls(config, {me + ".pem", me + ".key", folder + "/ca.pem", ""});
  caf::actor_system system{config};
  if (role == "pool")
    return run_pool(system, with);
  return role == "serve" ? serve(system, with) : ask(system, with);
}

} // namespace

} // namespace party

int main(int argc, char** argv) {
  const std::vector<std::string> words{argv + 1, argv + argc};
  if (words.size() < 2) {
    std::cerr << "usage: party ROLE FOLDER ...\n";
    return EXIT_FAILURE;
  }
  party::arguments with;
  if (words[0] != "pool" && words.size() > 2)
    with.port = static_cast<std::uint16_t>(std::atoi(words[2].c_str()));
  if (words[0] == "pool" && words.size() > 2)
    with.address = words[2];
  if (words[0] == "pool" && words.size() > 3)
    with.lease = std::chrono::seconds{std::atoi(words[3].c_str())};
  if (words[0] == "serve" && words.size() > 3)
    with.address = words[3];
  if (words[0] == "ask" && words.size() > 3)
    with.tasks = std::atoi(words[3].c_str());
  with.is_new = words.back() == "new";
  return party::run(words[0], words[1], with);
}

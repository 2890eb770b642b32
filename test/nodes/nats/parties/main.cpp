/// `party`: a distributed pool, its nodes and its clients as programs, for the
/// scripts in ../events.
///
/// `party pool SERVER` serves a pool, `party serve SERVER` computes for it, and
/// `party ask SERVER` is its client. SERVER is the address of a NATS server.
/// Each prints "ready", obeys lines of input until its input ends, and prints a
/// line for each event. The pool and the client obey:
///
///     square N          has N squared, prints "N = SQUARE" or "N ! ERROR"
///     hold N            the same; the handler waits until its node is told to
///                       `release`
///     busy N MS         the same; the handler keeps its thread for so long
///     answer N BYTES    the answer has so many bytes; prints "N = BYTES"
///     large N BYTES     the request has so many bytes; prints "N = BYTES"
///     note N            the request has a type that only nodes with --new know
///     flood COUNT       has so many numbers squared, some at a time, and
///     prints
///                       "flood: COUNT right, COUNT wrong"
///     await WORD COUNT TAG
///                       prints "TAG: WORD is COUNT" as soon as that is the
///                       count of `nodes`, or of tasks that are `waiting`,
///                       `accepted`, `open`, `completed`, `cancelled` or were
///                       `lost` with a node; at the pool also of `strays`, and
///                       of nodes that have `joined`
///     tell WORD TAG     prints the same, whatever the count is
///     end               ends the pool, or its client, and the program
///
/// The pool prints "serves" when it serves its name, "waits: WHY" while another
/// program does, and "ended: WHY" when it has ended.
///
/// A node prints "began N" when a handler begins. It obeys `release`, `drain`,
/// whereupon it prints "left", `end`, and `await` and `tell` for its
/// `sessions`, at most 1, and its `running` tasks.

#include "libpool/nodes/connect.hpp"
#include "libpool/nodes/join_pool.hpp"
#include "libpool/nodes/serve.hpp"
#include "libpool/pool.hpp"
#include "port/configuring.hpp"
#include "port/sending.hpp"

#include <CLI/CLI.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
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

/// Keeps the thread of the caller for so long.
void hold_thread(std::chrono::milliseconds time) {
  std::promise<void>{}.get_future().wait_for(time);
}

using libpool::actor_pool;
using libpool::errc;
using number = std::int32_t;
using milliseconds = std::chrono::milliseconds;

constexpr std::chrono::seconds an_hour{3600};

/// The command line.
struct settings {
  std::string server;
  std::string folder; // of certificates; empty: no TLS
  std::string user;   // name of the certificate; empty: that of the role
  std::string name;   // of a node or a client; empty: that of the role
  unsigned lease = 1000;
  unsigned patience = 100000;
  unsigned retries = 3;
  unsigned messages_of_client = 1024;
  unsigned threads = 0; // 0: as many as CAF likes
  unsigned slots = 2;
  bool is_new = false;
  unsigned standby = 0; // ms; 0: no other front
  bool is_durable = false;
  unsigned durable_retries = 0;
  bool has_ids = false; // that another run of the client gives again
};

void say(const std::string& line) {
  static std::mutex mutex;
  std::lock_guard guard{mutex};
  std::cout << line << std::endl;
}

libpool::pool_address address_of(const settings& how, const char* me) {
  libpool::nats_options by;
  by.servers = {how.server};
  by.insecure_loopback = how.folder.empty();
  by.ca = how.folder + "/ca.pem";
  auto own = how.folder + '/' + (how.user.empty() ? me : how.user);
  by.certificate = own + ".pem";
  by.key = own + ".key";
  by.server_name = how.folder.empty() ? "" : "server";
  return {"squares", by};
}

std::string name_of(const caf::error& why, caf::actor_system& system) {
  for (std::uint8_t i = 1; i < libpool::errc_count; ++i)
    if (auto code = static_cast<errc>(i); why == code)
      return libpool::name_of(code);
  return libpool::render(why, system);
}

/// Obeys "await WORD COUNT TAG" and "tell WORD TAG".
template <class Counted>
void count(std::istream& words, bool waits, const Counted& counted_by) {
  std::string word;
  std::uint64_t wanted = 0;
  std::string tag;
  words >> word;
  if (waits)
    words >> wanted;
  words >> tag;
  const auto& counted = counted_by.at(word);
  auto now = counted();
  for (; waits && now != wanted; now = counted())
    hold_thread(milliseconds{5});
  say(tag + ": " + word + " is " + std::to_string(now));
}

// -- the pool and the client --------------------------------------------------

using counts = std::map<std::string, std::function<std::uint64_t()>>;

/// Has numbers squared, at most so many at a time, until the count is reached.
void flooding(caf::blocking_actor* self, const caf::actor& pool, number count) {
  constexpr number at_once = 256;
  number right = 0;
  std::map<std::string, number> wrong;
  using handle = decltype(port::request(self, pool, an_hour, count));
  for (number first = 0; first < count; first += at_once) {
    std::vector<handle> requests;
    auto last = std::min(first + at_once, count);
    for (auto i = first; i < last; ++i)
      requests.push_back(port::request(self, pool, an_hour, i % 1000));
    for (auto i = first; i < last; ++i)
      std::forward<handle>(requests[static_cast<std::size_t>(i - first)])
        .receive(
          [&](number square) {
            auto x = i % 1000;
            ++(square == x * x ? right : wrong["another number"]);
          },
          [&](const caf::error& why) {
            ++wrong[name_of(why, self->system())];
          });
  }
  for (const auto& [why, times] : wrong)
    say("flood: " + std::to_string(times) + " times " + why);
  say("flood: " + std::to_string(right) + " right, "
      + std::to_string(count - right) + " wrong");
}

std::string shown(number got) {
  return std::to_string(got);
}

std::string shown(const std::string& got) {
  return std::to_string(got.size());
}

std::string shown(const note& got) {
  return got.text;
}

/// Sends one request after the other, and prints the answers as they come.
caf::behavior asking(caf::event_based_actor* self, const caf::actor& pool) {
  auto ask = [self, pool](number n, auto expected, auto... content) {
    auto head = std::to_string(n);
    port::request(self, pool, an_hour, content...)
      .then(
        [head](const decltype(expected)& got) {
          say(head + " = " + shown(got));
        },
        [self, head](const caf::error& why) {
          say(head + " ! " + name_of(why, self->system()));
        });
  };
  return {[=](const std::string& how, number n, number amount) {
    if (how == "square")
      ask(n, number{}, n);
    else if (how == "hold")
      ask(n, number{}, std::string{"hold"}, n);
    else if (how == "busy")
      ask(n, number{}, n, amount);
    else if (how == "large")
      ask(n, number{}, std::string(static_cast<std::size_t>(amount), 'x'));
    else if (how == "answer")
      ask(n, std::string{}, std::string{"answer"}, n, amount);
    else if (how == "note")
      ask(n, note{}, note{std::to_string(n)});
    else if (how == "flood")
      self->spawn(flooding, pool, n);
    else
      say("what is '" + how + "'?");
  }};
}

/// Obeys until the input ends.
void obey(caf::actor_system& system, const caf::actor& pool,
          const counts& counted) {
  auto asker = system.spawn(asking, pool);
  std::string line;
  say("ready");
  while (std::getline(std::cin, line)) {
    std::istringstream words{line};
    std::string how;
    words >> how;
    if (how == "end") {
      break;
    } else if (how == "await" || how == "tell") {
      count(words, how == "await", counted);
    } else {
      number n = 0;
      number amount = 0;
      words >> n >> amount;
      port::anon_send(asker, how, n, amount);
    }
  }
  caf::anon_send_exit(asker, caf::exit_reason::kill);
}

/// Numbers of tasks that were settled.
struct settled_counts {
  std::atomic<std::uint64_t> cancelled{0};
  std::atomic<std::uint64_t> lost{0};
};

libpool::managed_options queue_for(const settings& how, settled_counts& seen) {
  libpool::managed_options result;
  if (how.retries > 0)
    result.on_crash = libpool::retry{how.retries};
  result.on_settled = [&seen](const libpool::settled_task& task) {
    seen.cancelled += task.reason == errc::client_gone ? 1 : 0;
    seen.lost += task.crashes;
    seen.lost += task.reason == errc::node_lost ? 1 : 0;
  };
  return result;
}

counts counts_of(const caf::actor& pool, const settled_counts& seen) {
  auto tasks = [pool] { return actor_pool::stats(pool).tasks; };
  return {
    {"nodes", [pool] { return libpool::nodes_of(pool).nodes.size(); }},
    {"accepted", [tasks] { return tasks().accepted; }},
    {"waiting", [tasks] { return tasks().waiting; }},
    {"completed", [tasks] { return tasks().completed; }},
    {"open", [tasks] { return tasks().open(); }},
    {"lost", [&seen] { return seen.lost.load(); }},
    {"cancelled", [&seen] { return seen.cancelled.load(); }},
    {"strays", [pool] { return libpool::nodes_of(pool).strays; }},
    {"joined", [pool] { return libpool::nodes_of(pool).joined; }},
  };
}

int run_pool(caf::actor_system& system, const settings& how) {
  settled_counts seen;
  libpool::node_options nodes;
  nodes.lease = milliseconds{how.lease};
  auto pool = actor_pool::make(
    system, actor_pool::distributed(
              nodes, actor_pool::shared_queue(queue_for(how, seen))));
  libpool::serve_options serving;
  serving.messages_of_client = how.messages_of_client;
  if (how.standby > 0)
    serving.standby = milliseconds{how.standby};
  if (how.is_durable) {
    serving.durable = libpool::durable_options{};
    serving.durable->retries = how.durable_retries;
    serving.durable->redelivery = milliseconds{how.lease};
  }
  serving.on_serving = [] { say("serves"); };
  serving.on_waiting = [](const std::string& why) { say("waits: " + why); };
  pool->attach_functor([&system](const caf::error& why) {
    say("ended: " + name_of(why, system));
  });
  libpool::serve(pool, address_of(how, "front"), serving);
  obey(system, pool, counts_of(pool, seen));
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();
  return EXIT_SUCCESS;
}

/// The words of the request.
std::string id_of(const libpool::message_content& content) {
  if (content.match_elements<number>())
    return std::to_string(content.get_as<number>(0));
  return content.get_as<std::string>(0) + ' '
         + std::to_string(content.get_as<number>(1));
}

int run_client(caf::actor_system& system, const settings& how) {
  settled_counts seen;
  libpool::connect_options with;
  with.name = how.name.empty() ? "client" : how.name;
  with.lease = milliseconds{how.lease};
  with.patience = milliseconds{how.patience};
  with.queue = queue_for(how, seen);
  with.durable = how.is_durable;
  if (how.has_ids)
    with.id_of = id_of;
  auto pool = libpool::connect(system, address_of(how, "client"), with);
  obey(system, pool, counts_of(pool, seen));
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();
  return EXIT_SUCCESS;
}

// -- a node -------------------------------------------------------------------

void began(number n) {
  say("began " + std::to_string(n));
}

/// Keeps numbers until it is told to release them.
caf::behavior holding(caf::event_based_actor* self) {
  using all = std::vector<std::pair<number, caf::response_promise>>;
  auto held = std::make_shared<all>();
  return {
    [self, held](number n) {
      auto promise = self->make_response_promise();
      held->emplace_back(n, promise);
      began(n); // it can be released from now on
      return promise;
    },
    [held](const std::string&) {
      for (auto& [n, promise] : std::exchange(*held, {}))
        promise.deliver(n * n);
    },
  };
}

caf::behavior working(caf::event_based_actor* self, const caf::actor& holder,
                      bool is_new) {
  caf::message_handler old{
    [](number n) { return n * n; },
    [](number n, number ms) {
      began(n);
      hold_thread(milliseconds{ms});
      return n * n;
    },
    [self, holder](const std::string&, number n) {
      auto promise = self->make_response_promise();
      port::request(self, holder, an_hour, n)
        .then([promise](number square) mutable { promise.deliver(square); },
              [promise](caf::error& why) mutable { promise.deliver(why); });
      return promise;
    },
    [](const std::string& content) {
      return static_cast<number>(content.size());
    },
    [](const std::string&, number, number bytes) {
      return std::string(static_cast<std::size_t>(bytes), 'x');
    },
  };
  if (!is_new)
    return old;
  return old.or_else([](const note& x) { return note{x.text + "!"}; });
}

/// Prints "left" when the agent has left.
void drain(caf::event_based_actor* self, const caf::actor& agent) {
  port::request(self, agent, an_hour, caf::sys_atom{}, libpool::drain_atom{})
    .then([] { say("left"); },
          [self](const caf::error& why) {
            say("did not leave: " + libpool::render(why, self->system()));
          });
}

int serve(caf::actor_system& system, const settings& how) {
  auto holder = system.spawn(holding);
  libpool::join_options offer;
  offer.name = how.name.empty() ? "agent" : how.name;
  offer.slots = how.slots;
  auto make = [&] { return system.spawn(working, holder, how.is_new); };
  auto agent = libpool::join_pool(system, address_of(how, "agent"), offer,
                                  make);
  const counts counted{
    {"sessions",
     [agent] { return libpool::agent_stats(agent).session ? 1U : 0U; }},
    {"running", [agent] { return libpool::agent_stats(agent).running; }},
  };
  std::string line;
  say("ready");
  while (std::getline(std::cin, line)) {
    std::istringstream words{line};
    std::string word;
    words >> word;
    if (word == "release") {
      port::anon_send(holder, line);
    } else if (word == "drain") {
      system.spawn(drain, agent);
    } else if (word == "end") {
      break;
    } else {
      count(words, word == "await", counted);
    }
  }
  caf::anon_send_exit(agent, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(holder, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

int run(const std::string& role, const settings& how) {
  caf::actor_system_config config;
  libpool::set_up(config);
  port::wait_when_idle(config);
  if (role != "serve" || how.is_new)
    port::add_message_types<caf::id_block::party>(config);
  if (how.threads > 0)
    port::set_threads(config, how.threads);
  caf::actor_system system{config};
  if (role == "serve")
    return serve(system, how);
  return role == "pool" ? run_pool(system, how) : run_client(system, how);
}

} // namespace

} // namespace party

int main(int argc, char** argv) try {
  party::settings how;
  CLI::App app{"A party to distributed work"};
  app.require_subcommand(1);
  auto* pool = app.add_subcommand("pool", "serves a pool");
  auto* node = app.add_subcommand("serve", "serves the pool as a node");
  auto* client = app.add_subcommand("ask", "submits to the pool");
  for (auto* each : {pool, node, client}) {
    each->add_option("server", how.server, "address of a server")->required();
    each->add_option("--folder", how.folder, "of certificates");
    each->add_option("--user", how.user, "name of the certificate");
    each->add_option("--threads", how.threads, "of the scheduler");
  }
  for (auto* each : {pool, client}) {
    each->add_option("--lease", how.lease, "in ms");
    each->add_option("--retries", how.retries, "of each task");
    each->add_flag("--durable", how.is_durable, "by a durable queue");
  }
  pool->add_option("--standby", how.standby, "in ms; 0: no other front");
  pool->add_option("--messages-of-client", how.messages_of_client,
                   "at the same time");
  for (auto* each : {client, node})
    each->add_option("--name", how.name, "of the program");
  pool->add_option("--durable-retries", how.durable_retries,
                   "after the loss of a front");
  client->add_flag("--ids", how.has_ids, "the same id for the same words");
  client->add_option("--patience", how.patience, "in ms");
  node->add_option("--slots", how.slots, "tasks at the same time");
  node->add_flag("--new", how.is_new, "knows all types");
  CLI11_PARSE(app, argc, argv);
  return party::run(app.get_subcommands().front()->get_name(), how);
} catch (const std::exception& wrong) {
  std::cerr << "party: " << wrong.what() << '\n';
  return EXIT_FAILURE;
}

/// `raw`: a program that speaks the protocol of the NATS server by itself, and
/// tries what programs of libpool do not.
///
/// `raw USER SERVER --folder FOLDER` connects with the certificate of the user
/// in the folder, without a certificate if USER is `nobody`. Prints "connected"
/// and the serial number of the server's certificate, or "not connected" and
/// the reason, and then "ready". It obeys lines of input until its input ends,
/// and prints "closed" and the reason when the server closes the connection:
///
///     publish SUBJECT [BYTES]
///                       prints the line and "passed", or "refused" if the
///                       server reports that it is not permitted
///     request SUBJECT REPLY
///                       the same for an empty message, with the subject of the
///                       reply
///     subscribe SUBJECT [QUEUE]
///                       the same
///     heard TAG         prints "TAG: heard COUNT", the messages that have come
///     random COUNT SUBJECT
///                       publishes random bytes, then prints "sent COUNT"
///     join COUNT POOL NAME
///                       says hello as so many runs of the node NAME, each with
///                       a name of its own, and is ready for each session that
///                       the pool opens; prints "sent COUNT"
///     labels BYTES COUNT POOL NAME
///                       the same with labels of so many bytes, and is never
///                       ready
///     claim COUNT SUBJECT POOL NAME
///                       says hello as a node that claims to have begun
///                       messages of a durable queue, by numbers that can be
///                       computed: places in the queue, and hashes of SUBJECT
///                       and the places; is ready, prints "sent 1", and "got a
///                       task" for each batch of tasks
///     silent COUNT      opens connections without a word, prints "opened
///     COUNT"
///                       and, as soon as the server has closed them, "closed
///                       COUNT"

#include "libpool/nodes/protocol/batch_bytes.hpp"
#include "libpool/nodes/protocol/envelope.hpp"
#include "tls_session.hpp"

#include <CLI/CLI.hpp>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace raw {

namespace {

constexpr unsigned seed = 1;

/// The command line.
struct settings {
  std::string user;
  std::string server;
  std::string folder;
  std::string claims; // user that is claimed beside the certificate
};

void say(const std::string& line) {
  std::cout << line << std::endl;
}

/// As many open files as the system lets this process have.
void raise_limit_of_files() {
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  most.rlim_cur = most.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &most);
}

class program {
public:
  explicit program(const settings& how) : how_(how) {
    port_ = static_cast<std::uint16_t>(
      std::stoul(how.server.substr(how.server.rfind(':') + 1)));
  }

  int run() {
    connect();
    say("ready");
    for (;;) {
      std::vector<pollfd> all{{STDIN_FILENO, POLLIN, 0}};
      if (session_)
        all.push_back({session_->socket(), POLLIN, 0});
      for (const auto& each : silent_)
        all.push_back({each->socket(), POLLIN, 0});
      ::poll(all.data(), all.size(), -1);
      if (session_ && all[1].revents != 0)
        guarded([this] { session_->read_what_came(); });
      drop_closed();
      std::string line;
      while (all[0].revents != 0) {
        if (!std::getline(std::cin, line))
          return EXIT_SUCCESS;
        guarded([&] { obey(line); });
        if (std::cin.rdbuf()->in_avail() <= 0)
          break;
      }
    }
  }

private:
  void connect() {
    identity me;
    if (how_.user != "nobody") {
      me.certificate = how_.folder + '/' + how_.user + ".pem";
      me.key = how_.folder + '/' + how_.user + ".key";
    }
    me.user = how_.claims;
    try {
      session_ = std::make_unique<tls_session>(
        port_, me, [this](const std::string& subject, const std::string& x) {
          take(subject, x);
        });
      say("connected: " + session_->serial_of_server());
    } catch (const std::exception& wrong) {
      say(std::string{"not connected: "} + wrong.what());
    }
  }

  /// Reports that the connection has ended.
  template <class F>
  void guarded(F action) {
    try {
      action();
    } catch (const std::exception& why) {
      session_.reset();
      say(std::string{"closed: "} + why.what());
    }
  }

  void obey(const std::string& line) {
    std::istringstream words{line};
    std::string verb;
    words >> verb;
    if (verb == "silent")
      return open_silent(words);
    if (!session_)
      return say(line + ": not connected");
    if (verb == "publish" || verb == "request" || verb == "subscribe")
      attempt(verb, line, words);
    else if (verb == "heard")
      tell_heard(words);
    else if (verb == "random")
      publish_random(words);
    else if (verb == "join" || verb == "labels")
      join(words, verb == "labels");
    else if (verb == "claim")
      claim(words);
    else
      say("what is '" + verb + "'?");
  }

  /// Does what the server may refuse, and prints whether it has.
  void attempt(const std::string& verb, const std::string& line,
               std::istream& words) {
    std::string subject;
    std::string more; // bytes, the subject of the reply, or a queue
    words >> subject >> more;
    auto both = more.empty() ? subject : subject + " " + more;
    if (verb == "subscribe")
      session_->subscribe(both);
    else if (verb == "request")
      session_->publish(both, {});
    else
      session_->publish(subject,
                        std::string(more.empty() ? 0 : std::stoul(more), 'x'));
    auto error = session_->settle();
    auto is_refused = error.rfind("'Permissions Violation", 0) == 0;
    say(line + ": "
        + (error.empty() ? "passed"
           : is_refused  ? "refused"
                         : error));
  }

  void tell_heard(std::istream& words) {
    std::string tag;
    words >> tag;
    session_->settle();
    say(tag + ": heard " + std::to_string(heard_));
  }

  void publish_random(std::istream& words) {
    std::size_t count = 0;
    std::string subject;
    words >> count >> subject;
    std::mt19937 generator{seed};
    for (std::size_t i = 0; i < count; ++i) {
      std::string bytes(generator() % 200, '\0');
      for (auto& each : bytes)
        each = static_cast<char>(generator());
      session_->publish(subject, bytes);
    }
    session_->settle();
    say("sent " + std::to_string(count));
  }

  void join(std::istream& words, bool has_labels) {
    std::size_t bytes = 0;
    std::size_t count = 0;
    std::string pool;
    std::string name;
    if (has_labels)
      words >> bytes;
    words >> count >> pool >> name;
    is_ready_ = !has_labels;
    publishes_ = pool + ".front." + name + '.';
    for (std::size_t i = 0; i < count; ++i) {
      libpool::introduction who;
      if (has_labels)
        who.labels = {std::string(bytes, 'x')};
      say_hello(name, std::move(who));
      if (i % 100 == 99)
        session_->settle();
    }
    session_->settle();
    say("sent " + std::to_string(count));
  }

  /// As the next run of the node.
  void say_hello(const std::string& name, libpool::introduction who) {
    auto run = ++last_run_;
    who.name = name + '-' + std::to_string(run);
    session_->publish(
      publishes_ + std::to_string(run),
      bytes_of(libpool::envelope{})
        + bytes_of(libpool::hello{libpool::incarnation{run}, 1}, who));
  }

  void claim(std::istream& words) {
    std::uint64_t count = 0;
    std::string subject;
    std::string pool;
    std::string name;
    words >> count >> subject >> pool >> name;
    is_ready_ = true;
    publishes_ = pool + ".front." + name + '.';
    libpool::introduction who;
    for (std::uint64_t place = 1; place <= count; ++place) {
      who.held.push_back(place);
      who.held.push_back(hash_of(subject, place));
    }
    say_hello(name, std::move(who));
    session_->settle();
    say("sent 1");
  }

  /// FNV-1a of the place and the subject.
  static std::uint64_t hash_of(const std::string& subject,
                               std::uint64_t place) {
    constexpr std::uint64_t prime = 1099511628211U;
    std::uint64_t result = 14695981039346656037U;
    for (unsigned i = 0; i < 8; ++i)
      result = (result ^ ((place >> (8 * i)) & 0xFFU)) * prime;
    for (auto c : subject)
      result = (result ^ static_cast<unsigned char>(c)) * prime;
    return result | 1U;
  }

  /// Is ready for the session that a welcome opens.
  void take(const std::string& subject, const std::string& bytes) {
    ++heard_;
    auto opened = libpool::open_envelope(bytes);
    auto read = opened ? libpool::read_batch_to_node(opened->batch)
                       : std::nullopt;
    if (!is_ready_ || !read || read->rejected)
      return;
    if (std::holds_alternative<libpool::tasks_sent>(read->batch.content))
      say("got a task");
    const auto* in = std::get_if<libpool::welcome>(&read->batch.content);
    if (in == nullptr)
      return;
    libpool::envelope head;
    head.epoch = opened->head.epoch;
    session_->publish(publishes_ + subject.substr(subject.rfind('.') + 1),
                      bytes_of(head)
                        + bytes_of(libpool::batch_to_pool{
                          in->session, libpool::ready{in->session}}));
  }

  void open_silent(std::istream& words) {
    std::size_t count = 0;
    words >> count;
    raise_limit_of_files();
    for (std::size_t i = 0; i < count; ++i)
      silent_.push_back(
        std::make_unique<test::raw_connection>(port_, most_seconds));
    opened_ = silent_.size();
    say("opened " + std::to_string(opened_));
  }

  /// Forgets the silent connections that the server has closed.
  void drop_closed() {
    auto is_closed = [](const auto& each) {
      std::array<char, 4096> part{};
      auto n = ::recv(each->socket(), part.data(), part.size(), MSG_DONTWAIT);
      return n == 0 || (n < 0 && errno != EAGAIN);
    };
    if (silent_.empty())
      return;
    silent_.erase(std::remove_if(silent_.begin(), silent_.end(), is_closed),
                  silent_.end());
    if (silent_.empty())
      say("closed " + std::to_string(opened_));
  }

  const settings& how_;
  std::uint16_t port_ = 0;
  std::unique_ptr<tls_session> session_;
  std::size_t heard_ = 0;
  std::uint64_t last_run_ = 0;
  bool is_ready_ = false;
  std::string publishes_; // subject up to the run
  std::vector<std::unique_ptr<test::raw_connection>> silent_;
  std::size_t opened_ = 0;
};

} // namespace

} // namespace raw

int main(int argc, char** argv) try {
  std::signal(SIGPIPE, SIG_IGN);    // a closed connection is noticed by reading
  std::ios::sync_with_stdio(false); // lines that have come are counted
  raw::settings how;
  CLI::App app{"Tries what programs of libpool do not"};
  app.add_option("user", how.user, "name of the certificate")->required();
  app.add_option("server", how.server, "address of the server")->required();
  app.add_option("--folder", how.folder, "of certificates");
  app.add_option("--claim", how.claims, "user beside the certificate");
  CLI11_PARSE(app, argc, argv);
  return raw::program{how}.run();
} catch (const std::exception& wrong) {
  std::cerr << "raw: " << wrong.what() << '\n';
  return EXIT_FAILURE;
}

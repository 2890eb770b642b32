/// Counts the words of the files on the command line: one request, split into a
/// part for each worker, joined into one answer.

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using paths = std::vector<std::string>;

class counter : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[](const paths& files) -> caf::result<std::uint64_t> {
      std::uint64_t words = 0;
      for (auto& file : files) {
        std::ifstream in{file};
        if (!in)
          return caf::make_error(caf::sec::cannot_open_file, file);
        for (std::string word; in >> word;)
          ++words;
      }
      return words;
    }};
  }
};

/// Deals the files out like cards. Who gets none has nothing to do.
void deal(libpool::worker_tasks& tasks, caf::message& files) {
  std::vector<paths> hands(tasks.size());
  auto next = hands.begin();
  for (auto& file : files.get_as<paths>(0)) {
    next->push_back(file);
    if (++next == hands.end())
      next = hands.begin();
  }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!hands[i].empty())
      tasks[i].second = caf::make_message(std::move(hands[i]));
}

void add(std::uint64_t& total, caf::message& words) {
  total += words.get_as<std::uint64_t>(0);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: word_count FILE...\n";
    return 2;
  }
  caf::actor_system_config config;
  caf::actor_system system{config};
  auto pool = libpool::actor_pool::make(
    system, 4, [&] { return system.spawn<counter>(); },
    libpool::actor_pool::split_join<std::uint64_t>(add, deal));
  auto status = 0;
  caf::scoped_actor self{system};
  self->request(pool, caf::infinite, paths(argv + 1, argv + argc))
    .receive([](std::uint64_t words) { std::cout << words << '\n'; },
             [&](const caf::error& why) {
               std::cerr << "word_count: " << system.render(why) << '\n';
               status = 1;
             });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  return status;
}

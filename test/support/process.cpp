#include "support/process.hpp"

#include "support/scratch_folder.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace test {

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Standard streams that are files.
class redirections {
public:
  explicit redirections(const scratch_folder& folder) {
    ::posix_spawn_file_actions_init(&actions_);
    constexpr auto fresh = O_WRONLY | O_CREAT | O_TRUNC;
    open(STDIN_FILENO, folder / "in", O_RDONLY);
    open(STDOUT_FILENO, folder / "out", fresh);
    open(STDERR_FILENO, folder / "err", fresh);
  }

  redirections(const redirections&) = delete;
  redirections& operator=(const redirections&) = delete;

  ~redirections() {
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  const posix_spawn_file_actions_t* get() const {
    return &actions_;
  }

private:
  void open(int fd, const std::string& path, int how) {
    ::posix_spawn_file_actions_addopen(&actions_, fd, path.c_str(), how, 0600);
  }

  posix_spawn_file_actions_t actions_{};
};

int status_of(::pid_t process) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

} // namespace

ended_process run_program(std::vector<std::string> words,
                          const std::string& input) {
  const scratch_folder folder;
  folder.file("in", input);
  const redirections streams{folder};
  std::vector<char*> pointers;
  for (auto& each : words)
    pointers.push_back(each.data());
  pointers.push_back(nullptr);
  ::pid_t process = 0;
  if (::posix_spawnp(&process, pointers.front(), streams.get(), nullptr,
                     pointers.data(), environ)
      != 0)
    throw std::runtime_error("cannot start " + words.front());
  ended_process result;
  result.status = status_of(process);
  result.out = contents_of(folder / "out");
  result.err = contents_of(folder / "err");
  return result;
}

} // namespace test

#include "poolsim/process.hpp"

#include "support/scratch_folder.hpp"

#include <utility>

namespace test {

ended_process run_poolsim(const std::vector<std::string>& arguments,
                          const std::string& input) {
  std::vector<std::string> words{POOLSIM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(std::move(words), input);
}

ended_process simulate_text(const std::string& text) {
  const scratch_folder folder;
  folder.file("scenario.json", text);
  return run_poolsim({folder / "scenario.json"});
}

} // namespace test

/// Counts how often each word occurs in the text files under a path: a walk
/// cuts them into chunks, a pool counts these, joins merge the counts.

#include "options.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  auto parsed = word_count::parse(argc, argv);
  if (const auto* code = std::get_if<word_count::exit_code>(&parsed))
    return *code;
  return word_count::run_program(std::get<word_count::options>(parsed));
}

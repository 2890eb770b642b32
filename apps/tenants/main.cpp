/// Several tenants share a pool of workers, and one of them is noisy: the
/// experience of the others, with one queue for all and with fair queuing.

#include "options.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  auto parsed = tenants::parse(argc, argv);
  if (const auto* code = std::get_if<tenants::exit_code>(&parsed))
    return *code;
  return tenants::run_program(std::get<tenants::options>(parsed));
}

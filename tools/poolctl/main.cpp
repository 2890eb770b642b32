#include "program.hpp"

#include <csignal>
#include <iostream>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN); // a write that fails says so
  return poolctl::run(argc, argv, std::cout, std::cerr);
}

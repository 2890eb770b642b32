#!/bin/sh
# debian.sh, in a folder with the packages, README.md and `consumer`, on a system of
# Debian that has nothing else: installs the packages, compiles and runs the program of
# README.md by CMake and by pkg-config, links every component, and removes the packages.
set -eu
export DEBIAN_FRONTEND=noninteractive

fail() {
  echo "debian.sh: $1" >&2
  exit 1
}

files() {
  find / -xdev ! -path "$PWD/*" ! -path '/var/cache/*' ! -path '/var/log/*' | sort
}

# install PACKAGE...
install() {
  apt-get -qq -y --no-install-recommends install "$@" >/dev/null
}

# block LANGUAGE: the first one of README.md.
block() {
  awk -v "first=\`\`\`$1" 'on && $0 == "```" { exit } on; $0 == first { on = 1 }' README.md
}

# check PROGRAM: what it prints is what README.md says.
check() {
  "$1" >said 2>/dev/null
  grep -qx 'accepted 5, completed 5, failed 0, retries 1' said || fail "$1: $(cat said)"
}

apt-get -qq update
install g++ cmake make pkgconf
files >before
install ./*.deb
poolsim --version
poolctl --version
poolcert 2>&1 | grep usage

block cpp >program.cpp
echo 'cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
add_executable(your_program program.cpp)' >CMakeLists.txt
block cmake >>CMakeLists.txt
cmake -B build >/dev/null
cmake --build build
check build/your_program
# shellcheck disable=SC2046 # several options
c++ -std=c++17 program.cpp -o program $(pkg-config --cflags --libs libpool)
check ./program
for component in NODES METRICS LIVE SIMULATOR; do
  cmake -S consumer -B "$component" -D "$component=ON" >/dev/null
  cmake --build "$component"
done

# shellcheck disable=SC2046 # several packages
apt-get -qq -y purge --auto-remove $(
  for package in ./*.deb; do dpkg-deb -f "$package" Package; done
) >/dev/null
files >after
diff before after || fail 'the packages leave files behind'

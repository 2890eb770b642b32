#include "libpool/remote/turn.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

namespace libpool {

namespace {

struct taken_turns {
  std::mutex lock;
  std::condition_variable given_back;
  std::set<std::string> hosts;
};

taken_turns& taken() {
  static taken_turns all;
  return all;
}

} // namespace

turn::turn(std::string host, clock::time_point deadline)
  : host_(std::move(host)) {
  auto& all = taken();
  std::unique_lock guard{all.lock};
  has_come_ = all.given_back.wait_until(
    guard, deadline, [&] { return all.hosts.insert(host_).second; });
}

turn::~turn() {
  if (!has_come_)
    return;
  auto& all = taken();
  {
    const std::lock_guard guard{all.lock};
    all.hosts.erase(host_);
  }
  all.given_back.notify_all();
}

} // namespace libpool

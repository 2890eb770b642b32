/// A gather of one's own: five thermometers are asked, and the median of what
/// they say is the answer, so that no two of them can spoil it: one may lie and
/// one may fail, or two may not answer at all.

#include "median_of_five.hpp"

#include "libpool/pool.hpp"
#include "port/sending.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

enum class kind { works, lies, fails, hangs };

class thermometer : public caf::event_based_actor {
public:
  thermometer(caf::actor_config& cfg, kind is, int degrees)
    : caf::event_based_actor(cfg), kind_(is), degrees_(degrees) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](caf::get_atom) -> caf::result<int> { return reading(); }};
  }

  void on_exit() override {
    never_ = caf::response_promise{}; // it refers to this actor
  }

private:
  caf::result<int> reading() {
    switch (kind_) {
      case kind::works:
        return degrees_;
      case kind::lies:
        return 10 * degrees_;
      case kind::fails:
        return caf::sec::runtime_error;
      default:
        never_ = make_response_promise(); // unless it is dropped
        return caf::delegated<int>{};
    }
  }

  kind kind_;
  int degrees_;
  caf::response_promise never_;
};

/// The lower one of the two in the middle, if they are even.
class median final : public libpool::joiner {
public:
  std::unique_ptr<joiner> clone() const override {
    return std::make_unique<median>(*this);
  }

  void join(caf::message& result) override {
    degrees_.push_back(result.get_as<int>(0));
  }

  caf::message joined() override {
    auto middle = degrees_.begin()
                  + static_cast<std::ptrdiff_t>((degrees_.size() - 1) / 2);
    std::nth_element(degrees_.begin(), middle, degrees_.end());
    return caf::make_message(*middle);
  }

private:
  std::vector<int> degrees_;
};

/// They say 20, 21 and so on.
void ask(caf::actor_system& system, const std::vector<kind>& all) {
  auto next = all.begin();
  auto degrees = 19;
  auto pool = libpool::actor_pool::make(
    system, all.size(),
    [&] { return system.spawn<thermometer>(*next++, ++degrees); },
    libpool::actor_pool::gathered(std::make_unique<median_of_five>(50ms),
                                  std::make_unique<median>()));
  caf::scoped_actor self{system};
  port::request(self, pool, caf::infinite, caf::get_atom{})
    .receive([](int median) { std::cout << median << " degrees\n"; },
             [&](const caf::error& why) {
               std::cout << libpool::render(why, system) << '\n';
             });
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
}

} // namespace

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  ask(system, {kind::works, kind::lies, kind::works, kind::works, kind::fails});
  ask(system,
      {kind::hangs, kind::works, kind::hangs, kind::works, kind::works});
  ask(system,
      {kind::fails, kind::works, kind::fails, kind::works, kind::fails});
}

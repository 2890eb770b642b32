/// C++20 coroutines that wait for the answers of a pool.

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <coroutine>
#include <exception>
#include <future>
#include <iostream>
#include <stdexcept>
#include <utility>

caf::behavior squarer() {
  return {[](int x) { return x * x; }};
}

// What a coroutine waits for: the pool's answer to a number.
class square_of {
public:
  square_of(caf::actor_system& system, caf::actor pool, int x)
    : system_(system), pool_(std::move(pool)), x_(x) {
    // nop
  }

  bool await_ready() const noexcept {
    return false;
  }

  // An actor asks the pool. The coroutine goes on in the thread of this actor.
  void await_suspend(std::coroutine_handle<> coroutine) {
    system_.spawn([this, coroutine](caf::event_based_actor* self) {
      self->request(pool_, caf::infinite, x_)
        .then(
          [this, coroutine](int square) {
            square_ = square;
            coroutine.resume(); // may destroy this object
          },
          [this, coroutine](const caf::error& why) {
            why_ = why;
            coroutine.resume();
          });
    });
  }

  int await_resume() const {
    if (why_)
      throw std::runtime_error{libpool::render(why_, system_)};
    return square_;
  }

private:
  caf::actor_system& system_;
  caf::actor pool_;
  int x_;
  int square_ = 0;
  caf::error why_;
};

// A coroutine that begins at once, and whose result is a `std::future`.
template <class T>
struct started {
  struct promise_type {
    started get_return_object() {
      return {promise.get_future()};
    }

    std::suspend_never initial_suspend() noexcept {
      return {};
    }

    std::suspend_never final_suspend() noexcept {
      return {};
    }

    void return_value(T value) {
      promise.set_value(std::move(value));
    }

    void unhandled_exception() {
      promise.set_exception(std::current_exception());
    }

    std::promise<T> promise;
  };

  std::future<T> result;
};

started<int> sum_of_squares(caf::actor_system& system, caf::actor pool, int n) {
  auto sum = 0;
  for (auto x = 0; x < n; ++x)
    sum += co_await square_of{system, pool, x};
  co_return sum;
}

int main() {
  caf::actor_system_config config;
  libpool::set_up(config);
  caf::actor_system system{config};
  auto pool = libpool::spawn_pool(system, 4, squarer);
  std::cout << sum_of_squares(system, pool, 100).result.get() << '\n';
}

#pragma once

#if __has_include(<boost/asio/thread_pool.hpp>)
#  define LIBPOOL_BENCH_ASIO 1
#  include <boost/asio/post.hpp>
#  include <boost/asio/thread_pool.hpp>
#else
#  define LIBPOOL_BENCH_ASIO 0
#endif

#if __has_include(<tbb/task_arena.h>)
#  define LIBPOOL_BENCH_TBB 1
#  include <tbb/global_control.h>
#  include <tbb/task_arena.h>
#else
#  define LIBPOOL_BENCH_TBB 0
#endif

#include <cstddef>
#include <utility>

namespace bench {

#if LIBPOOL_BENCH_ASIO
class asio_pool {
public:
  explicit asio_pool(std::size_t threads) : pool_(threads) {
    // nop
  }

  template <class F>
  void post(F task) {
    boost::asio::post(pool_, std::move(task));
  }

private:
  boost::asio::thread_pool pool_;
};
#endif

#if LIBPOOL_BENCH_TBB
class tbb_pool {
public:
  /// The limit counts the thread that posts, which takes no part.
  explicit tbb_pool(std::size_t threads)
    : limit_(tbb::global_control::max_allowed_parallelism, threads + 1),
      arena_(static_cast<int>(threads), 0) {
    // nop
  }

  template <class F>
  void post(F task) {
    arena_.enqueue(std::move(task));
  }

private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};
#endif

/// Thread pools of functions, not of actors, as far as they are installed.
class rivals {
public:
  explicit rivals(std::size_t threads) : threads_(threads) {
    // nop
  }

  /// Calls `f(name, pool)` with each; `pool.post(task)` runs a function.
  template <class F>
  void each([[maybe_unused]] F f) {
#if LIBPOOL_BENCH_ASIO
    f("Asio thread_pool", asio_);
#endif
#if LIBPOOL_BENCH_TBB
    f("oneTBB enqueue", tbb_);
#endif
  }

private:
  std::size_t threads_;
#if LIBPOOL_BENCH_ASIO
  asio_pool asio_{threads_};
#endif
#if LIBPOOL_BENCH_TBB
  tbb_pool tbb_{threads_};
#endif
};

} // namespace bench

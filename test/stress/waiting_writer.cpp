#include "libpool/sync/shared_spinlock.hpp"
#include "support/in_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using libpool::shared_spinlock;
using test::in_threads;

namespace {

/// Readers that hand the lock on to each other, so that one of them is always
/// in for as long as it lets readers in.
class stream_of_readers {
public:
  stream_of_readers(shared_spinlock& lock, int rounds)
    : lock_(lock), left_(rounds) {
    // nop
  }

  /// Reader number `me`. It leaves when another one has come in after it, or
  /// when there is no hope that one does.
  void read(int me) {
    while (!stopped_ && left_-- > 0) {
      lock_.lock_shared();
      last_in_ = me;
      for (auto hope = 100; last_in_ == me && hope > 0; --hope)
        std::this_thread::yield();
      lock_.unlock_shared();
    }
  }

  /// Returns whether readers were still coming.
  bool stop() {
    stopped_ = true;
    return left_ > 0;
  }

private:
  shared_spinlock& lock_;
  std::atomic<int> left_;
  std::atomic<int> last_in_{-1};
  std::atomic<bool> stopped_{false};
};

} // namespace

TEST_CASE("a writer gets the lock although a reader always holds it") {
  shared_spinlock lock;
  stream_of_readers readers{lock, 100000};
  auto still_coming = false;
  in_threads(3, [&](unsigned me) {
    if (me < 2) {
      readers.read(static_cast<int>(me));
      return;
    }
    for (auto i = 0; i < 100; ++i) {
      lock.lock();
      lock.unlock();
    }
    still_coming = readers.stop();
  });
  CHECK(still_coming);
}

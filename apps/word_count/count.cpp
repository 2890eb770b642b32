#include "count.hpp"

#include "counter.hpp"
#include "messages.hpp"
#include "source.hpp"

#include "libpool/pool.hpp"

#include <caf/all.hpp>

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace word_count {

namespace {

/// How many chunks are counted and joined as one item of the pipeline.
constexpr std::size_t batch_size = 16;

/// A task for each chunk of a batch.
std::vector<chunk> split(batch& chunks) {
  return std::move(chunks);
}

void join(word_counts& all, word_counts some) {
  merge(all, std::move(some));
}

/// Keeps the first failure; others may only follow from it.
libpool::pipeline_options telling(caf::error& failure) {
  auto keep = [&](const caf::error& why) {
    if (!failure)
      failure = why;
  };
  libpool::pipeline_options out;
  out.on_failed = [=](const libpool::failed_item& failed) {
    keep(failed.reason);
  };
  out.on_source_failed = keep;
  return out;
}

} // namespace

/// A tree of joins: the counts of chunks are joined to those of their batch,
/// several batches at a time, in the threads of the workers; the counts of
/// batches to the result.
word_counts count(caf::actor_system& system, const options& options,
                  tally& seen,
                  const std::function<void(const std::string&)>& tell) {
  source files{options.path, options.chunk, batch_size, seen};
  auto spawn_counter = [&] {
    return system.spawn<counter, caf::detached>(seen);
  };
  word_counts all;
  auto plan =
    libpool::generate([files]() mutable { return files.next(); })
    | libpool::pool_stage<batch, word_counts>(
      "count", options.workers, spawn_counter,
      libpool::actor_pool::managed_split_join<word_counts>(join, split))
    | libpool::collect([&](word_counts some) { merge(all, std::move(some)); });
  caf::error failure;
  auto pipeline = libpool::spawn_pipeline(system, plan, telling(failure));
  live_page::page page{options.live, tell};
  page.add_pipeline(pipeline, "word_count");
  caf::scoped_actor self{system};
  self->wait_for(pipeline);
  if (failure)
    throw std::runtime_error(libpool::render(failure, system));
  return all;
}

} // namespace word_count

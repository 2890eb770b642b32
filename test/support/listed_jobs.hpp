#pragma once

#include "durable/job_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace test {

using durable::delivery;
using durable::duration;

/// A queue of jobs that is a list. What is given back is delivered again at
/// once.
class listed_jobs final : public durable::job_queue {
public:
  void submit(const std::string& path, std::uint64_t attempt = 1) {
    waiting.push_back({0, attempt, path});
  }

  std::vector<delivery> take(std::size_t most, duration) override {
    std::vector<delivery> out;
    while (out.size() < most && !waiting.empty()) {
      auto job = waiting.front();
      waiting.pop_front();
      job.number = ++last_number_;
      held[job.number] = job;
      out.push_back(job);
    }
    most_held = std::max(most_held, held.size());
    return out;
  }

  void done(const delivery& job) override {
    held.erase(job.number);
    finished.push_back(job.path);
  }

  void again(const delivery& job, duration pause) override {
    held.erase(job.number);
    pauses.push_back(pause);
    submit(job.path, job.attempt + 1);
  }

  void bury(const delivery& job, const std::string& why) override {
    held.erase(job.number);
    dead.emplace_back(job.path, why);
  }

  void still_working() override {
    ++signs_of_life;
  }

  bool is_empty() override {
    return waiting.empty() && held.empty();
  }

  std::deque<delivery> waiting;
  std::map<std::uint64_t, delivery> held;
  std::vector<std::string> finished;
  std::vector<std::pair<std::string, std::string>> dead;
  std::vector<duration> pauses;
  std::size_t most_held = 0;
  std::size_t signs_of_life = 0;

private:
  std::uint64_t last_number_ = 0;
};

} // namespace test

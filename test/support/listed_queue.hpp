#pragma once

#include "libpool/nodes/protocol/work_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// A durable queue in memory, which the test moves on step by step.
struct listed_queue {
  /// Opens the end of the next front.
  libpool::work_queue_opener for_front() {
    return [this](std::shared_ptr<libpool::work_user> user) {
      front = std::move(user);
      is_closed = false;
      return counted(std::make_shared<front_end>(*this), fronts);
    };
  }

  libpool::submission_queue_opener for_client() {
    return [this](std::shared_ptr<libpool::submission_user> user) {
      client = std::move(user);
      return counted(std::make_shared<client_end>(*this), clients);
    };
  }

  /// Gives a message to the current front, with a new taking.
  void give(std::uint64_t number, std::string content,
            std::uint64_t attempt = 1, const std::string& from = "alice") {
    auto bytes = std::make_shared<std::string>(std::move(content));
    auto& all = takings[number];
    all.insert(all.begin(), ++last_taking);
    fronts_of[number].push_back(last_front);
    given[number] = {number, all, attempt, false, from, {bytes, *bytes}};
    front->came(given[number]);
  }

  /// Whether all nodes of fronts that had the message earlier are in `serving`.
  bool have_nodes_changed(std::uint64_t number,
                          const std::vector<std::uint64_t>& serving) const {
    const auto& all = fronts_of.at(number);
    return all.size() > 1
           && std::all_of(all.begin(), all.end() - 1, [&](auto each) {
                auto nodes = nodes_of.find(each);
                return nodes == nodes_of.end()
                       || std::all_of(nodes->second.begin(),
                                      nodes->second.end(), [&](auto node) {
                                        return std::count(serving.begin(),
                                                          serving.end(), node)
                                               > 0;
                                      });
              });
  }

  std::shared_ptr<libpool::work_user> front;
  std::shared_ptr<libpool::submission_user> client;
  std::size_t clients = 0; // that use the queue
  std::size_t fronts = 0;  // likewise
  std::size_t last_front = 0;
  bool is_closed = false; // by the front
  bool is_silent = false; // fails questions about failed messages
  std::map<std::uint64_t, std::string> results;                // by number
  std::map<std::uint64_t, libpool::work_failure> failures;     // likewise
  std::map<std::uint64_t, libpool::failed_message> failed;     // kept
  std::vector<std::uint64_t> submitted_again;                  // of `failed`
  std::vector<std::uint64_t> settled;                          // by fronts
  std::vector<std::uint64_t> returned;                         // by fronts
  std::map<std::uint64_t, std::vector<std::uint64_t>> takings; // by number
  std::uint64_t last_taking = 0;
  std::map<std::uint64_t, libpool::queued_work> given;         // the last ones
  std::map<std::uint64_t, std::vector<std::size_t>> fronts_of; // that had it
  std::map<std::size_t, std::set<std::uint64_t>> nodes_of;     // by front
  bool admits_nodes = true;
  std::vector<std::function<void()>> admissions; // unless `admits_nodes`
  std::map<std::string, std::string> submitted;  // contents by id
  std::vector<std::string> forgotten;            // ids
  std::size_t most = std::numeric_limits<std::size_t>::max();

private:
  /// Counts `end` as long as the queue has it.
  template <class End>
  static std::shared_ptr<End> counted(std::shared_ptr<End> end,
                                      std::size_t& count) {
    ++count;
    return {end.get(), [end, &count](End*) { --count; }};
  }

  class front_end final : public libpool::work_queue {
  public:
    explicit front_end(listed_queue& of) : of_(of), number_(++of.last_front) {
      // nop
    }

    void settle(std::uint64_t number, std::string result,
                std::optional<libpool::work_failure> failure) override {
      if (number_ != of_.last_front)
        return; // this front is lost
      of_.results[number] = std::move(result);
      if (failure)
        of_.failures[number] = *std::move(failure);
      of_.settled.push_back(number);
      of_.front->settled(of_.takings.at(number));
    }

    void put_back(std::uint64_t number) override {
      of_.returned.push_back(number);
    }

    void begin() override {
      // nop
    }

    void node_joined(std::uint64_t node,
                     std::function<void()> admitted) override {
      of_.nodes_of[number_].insert(node);
      if (of_.admits_nodes)
        admitted();
      else
        of_.admissions.push_back(std::move(admitted));
    }

    void node_left(std::uint64_t) override {
      // nop
    }

    void check_earlier(std::uint64_t number,
                       std::vector<std::uint64_t> serving) override {
      auto& work = of_.given.at(number);
      if (of_.have_nodes_changed(number, serving)) {
        work.takings.resize(1);
        work.attempt = 1;
      } else {
        work.is_checked = true;
      }
      of_.front->came(work);
    }

    void close() override {
      of_.is_closed = true;
    }

    std::size_t most_bytes() const noexcept override {
      return of_.most;
    }

    std::optional<std::uint64_t> count() const noexcept override {
      return of_.failed.size();
    }

    std::vector<libpool::failed_message> list(std::uint64_t first,
                                              std::size_t most) override {
      require_servers();
      std::vector<libpool::failed_message> result;
      for (auto i = of_.failed.lower_bound(first);
           i != of_.failed.end() && result.size() < most; ++i)
        result.push_back(i->second);
      return result;
    }

    bool submit_again(std::uint64_t number) override {
      require_servers();
      if (of_.failed.count(number) == 0)
        return false;
      of_.submitted_again.push_back(number);
      return true;
    }

    bool drop(std::uint64_t number) override {
      require_servers();
      return of_.failed.erase(number) > 0;
    }

  private:
    void require_servers() const {
      if (of_.is_silent)
        throw std::runtime_error{"the NATS servers do not answer"};
    }

    listed_queue& of_;
    const std::size_t number_;
  };

  class client_end final : public libpool::submission_queue {
  public:
    explicit client_end(listed_queue& of) : of_(of) {
      // nop
    }

    void submit(const std::string& id, std::string content) override {
      of_.submitted[id] = std::move(content);
    }

    void forget(const std::string& id) override {
      of_.forgotten.push_back(id);
    }

    std::size_t most_bytes() const noexcept override {
      return of_.most;
    }

  private:
    listed_queue& of_;
  };
};

} // namespace test

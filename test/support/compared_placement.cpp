#include "support/placement_models.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using libpool::duration;
using libpool::ending;
using libpool::instant;
using libpool::measure;
using libpool::task;
using libpool::worker;

namespace test {

namespace {

using workers = std::vector<worker*>;

class comparing final : public libpool::placement {
public:
  comparing(std::unique_ptr<placement> real, std::unique_ptr<placement> model,
            std::string& difference)
    : real_(std::move(real)),
      model_(std::move(model)),
      difference_(difference) {
    // nop
  }

  void joined(worker& worker, instant now) noexcept override {
    real_->joined(worker, now);
    model_->joined(worker, now);
  }

  void left(worker& worker, instant now) noexcept override {
    real_->left(worker, now);
    model_->left(worker, now);
  }

  void offered(worker& worker, instant now) noexcept override {
    real_->offered(worker, now);
    model_->offered(worker, now);
  }

  void withdrawn(worker& worker, instant now) noexcept override {
    real_->withdrawn(worker, now);
    model_->withdrawn(worker, now);
  }

  void picked(worker& worker, const task& task, instant now) noexcept override {
    real_->picked(worker, task, now);
    model_->picked(worker, task, now);
  }

  void assigned(worker& worker, task& task, instant now) noexcept override {
    real_->assigned(worker, task, now);
    model_->assigned(worker, task, now);
  }

  void began(worker& worker, task& task, instant now) noexcept override {
    real_->began(worker, task, now);
    model_->began(worker, task, now);
  }

  void measured(worker& worker, task& task, ending how, duration cost,
                instant now) noexcept override {
    real_->measured(worker, task, how, cost, now);
    model_->measured(worker, task, how, cost, now);
  }

  void parted(worker& worker, task& task, instant now) noexcept override {
    real_->parted(worker, task, now);
    model_->parted(worker, task, now);
  }

  std::optional<measure> measures() const noexcept override {
    return real_->measures();
  }

  worker* choose(const task& task, instant now) noexcept override {
    auto* chosen = real_->choose(task, now);
    note("choose", chosen, real_->choose(task, now), model_->choose(task, now));
    return chosen;
  }

  worker* choose_among(const workers& some, const task& task,
                       instant now) noexcept override {
    auto* chosen = real_->choose_among(some, task, now);
    note("choose_among", chosen, real_->choose_among(some, task, now),
         model_->choose_among(some, task, now));
    return chosen;
  }

private:
  static std::string name_of(const worker* worker) {
    return worker == nullptr
             ? "nobody"
             : std::to_string(static_cast<std::uint64_t>(worker->number));
  }

  void note(const char* question, const worker* chosen, const worker* again,
            const worker* expected) {
    if (difference_.empty() && (chosen != expected || chosen != again))
      difference_ = std::string{question} + ": " + name_of(chosen) + ", then "
                    + name_of(again) + ", instead of " + name_of(expected);
  }

  std::unique_ptr<placement> real_;
  std::unique_ptr<placement> model_;
  std::string& difference_;
};

} // namespace

std::unique_ptr<libpool::placement>
compared(std::unique_ptr<libpool::placement> real,
         std::unique_ptr<libpool::placement> model, std::string& difference) {
  return std::make_unique<comparing>(std::move(real), std::move(model),
                                     difference);
}

} // namespace test

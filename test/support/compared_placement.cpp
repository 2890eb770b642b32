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

  void joined(worker& who, instant now) noexcept override {
    real_->joined(who, now);
    model_->joined(who, now);
  }

  void left(worker& who, instant now) noexcept override {
    real_->left(who, now);
    model_->left(who, now);
  }

  void offered(worker& who, instant now) noexcept override {
    real_->offered(who, now);
    model_->offered(who, now);
  }

  void withdrawn(worker& who, instant now) noexcept override {
    real_->withdrawn(who, now);
    model_->withdrawn(who, now);
  }

  void picked(worker& who, const task& what, instant now) noexcept override {
    real_->picked(who, what, now);
    model_->picked(who, what, now);
  }

  void assigned(worker& who, task& what, instant now) noexcept override {
    real_->assigned(who, what, now);
    model_->assigned(who, what, now);
  }

  void began(worker& who, task& what, instant now) noexcept override {
    real_->began(who, what, now);
    model_->began(who, what, now);
  }

  void measured(worker& who, task& what, ending how, duration cost,
                instant now) noexcept override {
    real_->measured(who, what, how, cost, now);
    model_->measured(who, what, how, cost, now);
  }

  void unassigned(worker& who, task& what, instant now) noexcept override {
    real_->unassigned(who, what, now);
    model_->unassigned(who, what, now);
  }

  std::optional<measure> measures() const noexcept override {
    return real_->measures();
  }

  worker* choose(const task& what, instant now) noexcept override {
    auto* chosen = real_->choose(what, now);
    note("choose", chosen, real_->choose(what, now), model_->choose(what, now));
    return chosen;
  }

  worker* choose_among(const workers& some, const task& what,
                       instant now) noexcept override {
    auto* chosen = real_->choose_among(some, what, now);
    note("choose_among", chosen, real_->choose_among(some, what, now),
         model_->choose_among(some, what, now));
    return chosen;
  }

private:
  static std::string name_of(const worker* who) {
    return who == nullptr
             ? "nobody"
             : std::to_string(static_cast<std::uint64_t>(who->number));
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

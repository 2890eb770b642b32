#pragma once

#include "libpool/core/task.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace test {

/// Stands between a dispatcher and a policy, and perhaps a model of that: tells
/// both the same facts, and notes the first law that is broken.
template <class Policy>
class watcher : public Policy {
public:
  using owned = std::unique_ptr<Policy>;

  explicit watcher(owned real, owned model = nullptr)
    : real_(std::move(real)), model_(std::move(model)) {
    // nop
  }

  /// The law that was broken first; empty if none was.
  const std::string& complaint() const noexcept {
    return complaint_;
  }

  /// Whether no task is anywhere.
  bool is_empty() const noexcept {
    return places_.empty();
  }

  const Policy* model() const noexcept {
    return model_.get();
  }

  /// Called after each fact.
  std::function<void()> told = [] {};

protected:
  enum class place : std::uint8_t { nowhere, queue, held, deque, worker };

  template <class... Parameters, class... Arguments>
  void tell(void (Policy::*fact)(Parameters...), Arguments&&... arguments) {
    (real_.get()->*fact)(arguments...);
    if (model_ != nullptr)
      (model_.get()->*fact)(arguments...);
    told();
  }

  void expect(bool holds, std::string_view law) noexcept {
    if (!holds && complaint_.empty())
      complaint_ = law;
  }

  place place_of(const libpool::task& task) const noexcept {
    auto i = places_.find(&task);
    return i == places_.end() ? place::nowhere : i->second;
  }

  void move(const libpool::task& task, place from, place to,
            std::string_view law) noexcept {
    expect(place_of(task) == from, law);
    if (to == place::nowhere)
      places_.erase(&task);
    else
      places_[&task] = to;
  }

  const owned real_;
  const owned model_;

private:
  std::map<const libpool::task*, place> places_;
  std::string complaint_;
};

} // namespace test

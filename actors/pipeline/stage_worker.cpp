#include "libpool/actors/pipeline/stage_worker.hpp"

#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/catch_all.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/user_function.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <utility>

namespace libpool {

namespace {

class stage_worker final : public caf::event_based_actor {
public:
  stage_worker(caf::actor_config& cfg, detail::item_function f)
    : caf::event_based_actor(cfg), f_(std::move(f)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return catch_all(
      *this, [this](any_message& message) { return result_of(message); });
  }

  void on_exit() override {
    f_ = nullptr;
  }

private:
  caf::result<caf::message> result_of(any_message& message) {
    try {
      auto item = take_content(message);
      auto result = call_user("the function", f_, item);
      if (!result)
        return std::move(result.error());
      return std::move(*result);
    } catch (...) {
      return make_error(errc::stage_failed, thrown_text());
    }
  }

  detail::item_function f_;
};

class source_worker final : public caf::event_based_actor {
public:
  source_worker(caf::actor_config& cfg, detail::item_generator f)
    : caf::event_based_actor(cfg), f_(std::move(f)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](caf::sys_atom, pull_atom) { return next(); }};
  }

  void on_exit() override {
    f_ = nullptr;
  }

private:
  caf::result<caf::message> next() {
    if (f_ == nullptr)
      return caf::make_message(end_atom{});
    try {
      auto result = call_user("the function", f_);
      if (result.match_elements<end_atom>())
        f_ = nullptr;
      return result;
    } catch (...) {
      f_ = nullptr;
      return make_error(errc::source_failed, thrown_text());
    }
  }

  detail::item_generator f_;
};

} // namespace

caf::actor spawn_stage_worker(caf::actor_system& system,
                              const detail::item_function& f) {
  return system.spawn<stage_worker>(f);
}

caf::actor spawn_source_worker(caf::actor_system& system,
                               const detail::item_generator& f) {
  return system.spawn<source_worker>(f);
}

} // namespace libpool

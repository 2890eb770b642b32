#include "libpool/actors/managed/batches.hpp"

#include "libpool/actors/caf/error_words.hpp"
#include "libpool/actors/caf/handles.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "libpool/actors/caf/port/make_message.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/user_function.hpp"
#include "libpool/core/joint_run.hpp"

#include <utility>
#include <vector>

namespace libpool {

errc batches::compose(managed_task& leader) const {
  std::vector<const message_content*> contents;
  auto add = [&](task& each) {
    auto& added = static_cast<managed_task&>(each);
    added.own_extras().place = contents.size();
    contents.push_back(&content_of(*added.element));
  };
  add(leader);
  for (auto& each : run_of(leader)->joiners)
    add(each);
  auto& extras = leader.own_extras();
  try {
    auto whole = call_user("copying the messages of a batch",
                           [&] { return type_->compose(contents); });
    extras.single = std::move(leader.element);
    leader.element = make_element(take_return_path(*extras.single),
                                  std::move(whole));
  } catch (...) {
    extras.crash = thrown_text();
    return errc::policy_failed;
  }
  extras.parts.clear();
  extras.batch_size = contents.size();
  return {};
}

bool batches::can_copy(managed_task& task) const {
  try {
    call_user("copying the messages of a batch",
              [&] { return type_->compose({&content_of(*task.element)}); });
    return true;
  } catch (...) {
    task.own_extras().crash = thrown_text();
    return false;
  }
}

void batches::take_apart(managed_task& leader) {
  if (leader.extras().single == nullptr)
    return;
  auto single = std::move(leader.own_extras().single);
  leader.element = leader.element != nullptr ? make_element(
                     take_return_path(*leader.element), take_content(*single))
                                             : std::move(single);
}

void batches::divide(managed_task& leader) const {
  auto& extras = leader.own_extras();
  auto result = std::move(extras.answer.content);
  if (!result.match_elements<caf::error>()) {
    try {
      extras.parts = type_->divide(result, extras.batch_size);
      return;
    } catch (...) {
      result =
        caf::make_message(make_error(errc::policy_failed, thrown_text()));
    }
  }
  extras.parts.assign(extras.batch_size, result);
}

} // namespace libpool

#include "libpool/nodes/nats/work_questions.hpp"

#include "libpool/nodes/nats/work_messages.hpp"

#include <stdexcept>
#include <utility>

namespace libpool {

work_questions::answer work_questions::ask(jsCtx* with,
                                           const taken_submissions::need& step,
                                           const taken_submission& work) {
  switch (step.step) {
    case work_step::search:
      return search(with, step.number, work);
    case work_step::look:
      return look(with, step.number, work);
    case work_step::judge:
      return judge(with, step.number, work);
    default:
      return remove_origin(with, step.number, work);
  }
}

/// Looks for the result of a submission that an earlier front has claimed, and
/// reads the claim otherwise.
work_questions::answer
work_questions::search(jsCtx* with, std::uint64_t number,
                       const taken_submission& work) const {
  return find_result(with, number, work, [&]() -> answer {
    auto found = last_message(with, streams_.results,
                              claim_subject(streams_, work));
    if (!is_answer(found.status))
      return nullptr;
    auto claim = found.status == NATS_OK ? claim_in(found.message.get())
                                         : work_claim{};
    return [number, claim](taken_submissions& all) {
      all.found_none(number, claim);
    };
  });
}

/// Looks for the result of a submission. If there is none, returns what
/// `otherwise` returns.
work_questions::answer
work_questions::find_result(jsCtx* with, std::uint64_t number,
                            const taken_submission& work,
                            const std::function<answer()>& otherwise) const {
  auto stored = last_message(with, streams_.results,
                             streams_.result + work.name);
  if (stored.status == NATS_NOT_FOUND)
    return otherwise();
  if (stored.status != NATS_OK)
    return nullptr;
  return [number, failure = failure_in(stored.message.get())](
           taken_submissions& all) { all.found(number, failure); };
}

/// Reads the records of earlier fronts, before the pool asks its nodes.
work_questions::answer work_questions::look(jsCtx* with, std::uint64_t number,
                                            const taken_submission& work) {
  const auto& takings = work.claims.takings();
  for (auto i = takings.begin() + 1; i != takings.end(); ++i)
    if (!records_.look(with, i->front))
      return nullptr;
  return [number](taken_submissions& all) { all.looked(number); };
}

/// Decides whether a submission has begun. A result is looked for after the
/// records: nodes forget submissions whose results are stored.
work_questions::answer work_questions::judge(jsCtx* with, std::uint64_t number,
                                             const taken_submission& work) {
  auto verdict = verdict_on(with, work);
  return find_result(with, number, work, [=]() -> answer {
    return [=](taken_submissions& all) { all.judged(number, verdict); };
  });
}

front_verdict work_questions::verdict_on(jsCtx* with,
                                         const taken_submission& work) {
  const auto& takings = work.claims.takings();
  auto result = front_verdict::may_have_begun; // if no front is known
  for (auto i = takings.begin() + 1; i != takings.end(); ++i) {
    result = i->front == front_
               ? front_verdict::may_have_begun
               : records_.close(with, i->front, work.serving.value());
    if (result != front_verdict::never_began)
      break;
  }
  return result;
}

/// Removes the failed message whose new submission has not failed.
work_questions::answer
work_questions::remove_origin(jsCtx* with, std::uint64_t number,
                              const taken_submission& work) const {
  try {
    failures_.remove_origin(with, work.name);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
  return [number](taken_submissions& all) { all.removed_origin(number); };
}

} // namespace libpool

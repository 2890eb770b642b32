#pragma once

#include "libpool/nodes/nats/failure_store.hpp"
#include "libpool/nodes/nats/front_records.hpp"
#include "libpool/nodes/nats/work_streams.hpp"
#include "libpool/nodes/protocol/taken_submissions.hpp"

#include <nats/nats.h>

#include <cstdint>
#include <functional>

namespace libpool {

/// Whether a step asks the servers, and does not only store something.
constexpr bool is_question(work_step step) noexcept {
  return step == work_step::search || step == work_step::look
         || step == work_step::judge || step == work_step::origin;
}

/// Takes steps of submissions that ask the servers.
///
/// Threads: one at a time.
class work_questions {
public:
  /// Prepares questions of a front with the run `front`, whose records are
  /// `records`.
  work_questions(const work_streams& streams, front_records& records,
                 std::uint64_t front)
    : streams_(streams), records_(records), failures_(streams), front_(front) {
    // nop
  }

  /// Answer of the servers, which the receiver notes. Empty: none has come.
  using answer = std::function<void(taken_submissions&)>;

  /// Takes a step, and waits for the answers.
  answer ask(jsCtx* with, const taken_submissions::need& step,
             const taken_submission& work);

private:
  answer search(jsCtx* with, std::uint64_t number,
                const taken_submission& work) const;
  answer find_result(jsCtx* with, std::uint64_t number,
                     const taken_submission& work,
                     const std::function<answer()>& otherwise) const;
  answer look(jsCtx* with, std::uint64_t number, const taken_submission& work);
  answer judge(jsCtx* with, std::uint64_t number, const taken_submission& work);
  front_verdict verdict_on(jsCtx* with, const taken_submission& work);
  answer remove_origin(jsCtx* with, std::uint64_t number,
                       const taken_submission& work) const;

  const work_streams& streams_;
  front_records& records_;
  const failure_store failures_;
  const std::uint64_t front_;
};

} // namespace libpool

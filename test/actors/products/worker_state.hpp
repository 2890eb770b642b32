#pragma once

#include "libpool/actors/actor_pool.hpp"
#include "libpool/actors/error.hpp"
#include "libpool/actors/this_task.hpp"
#include "records.hpp"

#include <caf/actor_companion.hpp>
#include <caf/all.hpp>

#include <array>

namespace products {

/// The answer to a message whose handler waits for its own pool. Is lost with
/// its worker.
class nested_answer {
public:
  nested_answer(std::shared_ptr<records> told, int number, std::size_t awaited,
                caf::response_promise to)
    : records_(std::move(told)),
      number_(number),
      awaited_(awaited),
      to_(std::move(to)) {
    // nop
  }

  nested_answer(const nested_answer&) = delete;
  nested_answer& operator=(const nested_answer&) = delete;

  ~nested_answer() {
    if (to_.pending())
      records_->messages[static_cast<std::size_t>(number_)].promise_is_lost =
        true;
  }

  /// Notes the answer to request `number`: an error, or a result. Answers after
  /// the last one, with an error if there was one.
  template <class T>
  void came(int number, const T& content) {
    auto& answer = records_->messages[static_cast<std::size_t>(number)].answer;
    if (answer.count++ == 0)
      answer.content = caf::make_message(content);
    if (auto why = answer.error(); why && !error_)
      error_ = why;
    if (--awaited_ > 0)
      return;
    if (error_)
      to_.deliver(error_);
    else
      to_.deliver(number_);
  }

private:
  const std::shared_ptr<records> records_;
  const int number_;
  std::size_t awaited_;
  caf::response_promise to_;
  caf::error error_;
};

/// The behavior of a worker beside its actor: how it handles messages, and its
/// promises. Goes with the behavior of its worker; open promises are lost.
class worker_state {
public:
  worker_state(std::size_t worker, std::shared_ptr<records> told,
               caf::actor helper)
    : worker_(worker), records_(std::move(told)), helper_(std::move(helper)) {
    // nop
  }

  worker_state(const worker_state&) = delete;
  worker_state& operator=(const worker_state&) = delete;

  ~worker_state() {
    for (auto& each : promises_)
      if (each.promise.pending())
        for (auto number : each.messages)
          lose_promise(number);
  }

  std::size_t number() const {
    return worker_;
  }

  bool expects_strange() const {
    return records_->has_strange;
  }

  baton& turns() const {
    return records_->baton;
  }

  void keep_promises() {
    for (auto& each : std::exchange(promises_, {}))
      if (each.promise.pending() && each.is_of_batch)
        each.promise.deliver(each.messages);
      else if (each.promise.pending())
        each.promise.deliver(each.messages.front());
  }

  bool skips(const cargo& x) {
    auto& message = message_of(x);
    auto skips = message.does == handling::never_looks
                 || (message.does == handling::skips && !records_->is_open);
    message.was_skipped |= skips;
    return skips;
  }

  template <class Self>
  caf::result<int> handle(Self& self, const cargo& x) {
    auto& message = message_of(x);
    if (records_->pass_time)
      records_->pass_time();
    auto is_first = begin(x);
    switch (message.does) {
      case handling::answers:
      case handling::skips:
      case handling::never_looks:
        return x.number;
      case handling::looks_at_task:
        last_task_ = libpool::this_task(&self);
        return x.number;
      case handling::answers_with_error:
        return error_of(x);
      case handling::throws:
        if (is_first || records_->throws_again)
          throw std::runtime_error{"as it was told"};
        return x.number;
      case handling::quits:
        end(self, caf::exit_reason::user_shutdown);
        return x.number;
      case handling::quits_failing:
        end(self, caf::sec::runtime_error);
        return x.number;
      case handling::awaits:
        return await(self, x);
      case handling::promises:
        promises_.push_back({{x.number}, false, self.make_response_promise()});
        return caf::delegated<int>{};
      case handling::drops:
        lose_promise(x.number);
        static_cast<void>(self.make_response_promise());
        return caf::delegated<int>{};
      case handling::delegates:
        self.delegate(helper_, x);
        return caf::delegated<int>{};
      case handling::gets_stuck:
        if (records_->run_others)
          records_->run_others();
        return x.number;
      case handling::asks_own_pool:
        return ask_own_pool(self, x);
    }
    return x.number;
  }

  /// Handles the messages of a batch as one of them is to be handled: one that
  /// fails, if there is one.
  template <class Self>
  caf::result<std::vector<int>> handle_all(Self& self,
                                           const std::vector<cargo>& all) {
    if (records_->pass_time)
      records_->pass_time();
    std::vector<int> results;
    const auto* chosen = &all.front();
    auto throws = false;
    auto fails = [this](const cargo& x) {
      const auto does = message_of(x).does;
      return does == handling::answers_with_error || does == handling::drops;
    };
    for (const auto& x : all) {
      const auto does = message_of(x).does;
      const auto is_first = begin(x);
      throws |= does == handling::throws
                && (is_first || records_->throws_again);
      results.push_back(x.number);
      if (does != handling::answers && does != handling::throws
          && !fails(*chosen))
        chosen = &x;
    }
    if (throws)
      throw std::runtime_error{"as it was told"};
    switch (message_of(*chosen).does) {
      case handling::answers_with_error:
        return error_of(*chosen);
      case handling::quits:
        end(self, caf::exit_reason::user_shutdown);
        return results;
      case handling::quits_failing:
        end(self, caf::sec::runtime_error);
        return results;
      case handling::promises:
        promises_.push_back({results, true, self.make_response_promise()});
        return caf::delegated<std::vector<int>>{};
      case handling::drops:
        for (auto number : results)
          lose_promise(number);
        static_cast<void>(self.make_response_promise());
        return caf::delegated<std::vector<int>>{};
      case handling::gets_stuck:
        if (records_->run_others)
          records_->run_others();
        return results;
      default:
        last_task_ = libpool::this_task(&self);
        return results;
    }
  }

  caf::error strange() {
    ++records_->strange_runs;
    return caf::sec::unexpected_message;
  }

private:
  /// One that actors of CAF's may answer with by themselves, more often than
  /// not.
  static caf::error error_of(const cargo& x) {
    constexpr std::array all{caf::sec::invalid_argument,
                             caf::sec::request_receiver_down,
                             caf::sec::runtime_error};
    return caf::make_error(all.at(static_cast<std::size_t>(x.number) % 3));
  }

  /// A promise to answer a message, or the messages of a batch.
  struct open_promise {
    std::vector<int> messages;
    bool is_of_batch;
    caf::response_promise promise;
  };

  /// Notes that a handler has begun with the message. Returns whether it is the
  /// first one.
  bool begin(const cargo& x) {
    auto& message = message_of(x);
    auto is_first = message.all_runs() == 0;
    if (is_first)
      records_->begun.push_back(x.number);
    ++message.runs[{x.part, worker_}];
    return is_first;
  }

  void lose_promise(int number) {
    records_->messages[static_cast<std::size_t>(number)].promise_is_lost = true;
  }

  message_record& message_of(const cargo& x) {
    return records_->messages.at(static_cast<std::size_t>(x.number));
  }

  template <class Self>
  static constexpr bool blocks = std::is_base_of_v<caf::blocking_actor, Self>;

  template <class Self>
  void end(Self& self, caf::error why) {
    if constexpr (blocks<Self>)
      self.stop(std::move(why));
    else
      self.quit(std::move(why));
  }

  template <class Self>
  caf::result<int> await(Self& self, const cargo& x) {
    auto promise = self.make_response_promise();
    auto kept = [promise](int y) mutable { promise.deliver(y); };
    if constexpr (blocks<Self>)
      self.request(helper_, caf::infinite, x).receive(kept, [](caf::error&) {});
    else if constexpr (!std::is_base_of_v<caf::actor_companion, Self>)
      self.request(helper_, caf::infinite, x).await(kept);
    return caf::delegated<int>{};
  }

  template <class Self>
  caf::result<int> ask_own_pool(Self& self, const cargo& x) {
    if constexpr (!std::is_base_of_v<caf::actor_companion, Self>) {
      auto nested = records_->make_nested(worker_, x.number);
      if (nested.empty())
        return x.number;
      auto answer = std::make_shared<nested_answer>(
        records_, x.number, nested.size(), self.make_response_promise());
      for (const auto& each : nested)
        ask(self, each, answer);
      return caf::delegated<int>{};
    } else {
      return x.number;
    }
  }

  /// Sends the request. A worker that blocks waits for the answer.
  template <class Self>
  static void ask(Self& self, const nested_request& what,
                  const std::shared_ptr<nested_answer>& to) {
    auto pool = caf::actor_cast<caf::actor>(what.pool);
    auto number = what.content.number;
    if (pool == nullptr)
      return to->came(number, libpool::make_error(libpool::errc::pool_closed));
    if (what.passes_gate)
      pool = libpool::actor_pool::submit_only(pool);
    constexpr auto high = caf::message_priority::high;
    auto request = what.is_urgent
                     ? self.template request<high>(pool, caf::infinite,
                                                   what.content)
                     : self.request(pool, caf::infinite, what.content);
    pool = nullptr; // a worker does not keep its pool alive
    auto take = [=](int x) { to->came(number, x); };
    auto take_error = [=](const caf::error& x) { to->came(number, x); };
    if constexpr (blocks<Self>)
      request.receive(take, take_error);
    else
      request.then(take, take_error);
  }

  counted<worker_state> here_;
  const std::size_t worker_;
  const std::shared_ptr<records> records_;
  const caf::actor helper_;
  std::vector<open_promise> promises_;
  libpool::running_task last_task_;
};

using worker_state_ptr = std::shared_ptr<worker_state>;

} // namespace products

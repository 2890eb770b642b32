#pragma once

#include "libpool/actors/caf/handling_loop.hpp"
#include "libpool/actors/caf/port/elements.hpp"
#include "support/port/message_types.hpp"

#include <caf/mailbox_element.hpp>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace test {

/// An owner of a handling loop, which keeps the numbers of its facts in the
/// order in which it handles them.
class handling_owner {
public:
  using loop = libpool::handling_loop<handling_owner>;

  static libpool::fact_inbox::fact fact(int x) {
    auto element = libpool::make_element(nullptr, caf::make_message_id(), x);
    return {libpool::fact_inbox::kind::submitted, element.release()};
  }

  void tell(int x) {
    facts.tell(fact(x), nullptr);
  }

  /// Tells a fact that can wait.
  void put_down(int x) {
    auto told = fact(x);
    if (!facts.put_down(told, [this] { return time; }))
      facts.tell(told, nullptr);
  }

  /// The facts that were handled.
  std::vector<int> seen;
  /// Called with each of them.
  std::function<void(int)> during;
  std::size_t rounds = 0;
  libpool::duration patience{50};
  bool is_patient = false;
  libpool::instant time{};
  loop facts{*this};

private:
  friend loop;

  void round_begins() noexcept {
    ++rounds;
  }

  void handle(libpool::fact_inbox::fact told, libpool::execution_context*) {
    auto owner = libpool::message_of(told);
    auto x = libpool::content_of(*owner).get_as<int>(0);
    seen.push_back(x);
    if (during)
      during(x);
  }

  template <class Iterator>
  void handle_all(Iterator first, Iterator last,
                  libpool::execution_context* host) {
    for (; first != last; ++first)
      handle(*first, host);
  }

  static std::nullptr_t end_round(libpool::execution_context*) noexcept {
    return nullptr;
  }

  libpool::instant patient_until() const noexcept {
    return is_patient ? time + patience : libpool::fact_inbox::impatient;
  }
};

} // namespace test

#include "support/protocol_world.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <variant>

namespace test {

namespace {

using kind = protocol_step::kind;

template <class Number>
std::string text(Number what) {
  return std::to_string(static_cast<std::uint64_t>(what));
}

std::string task(libpool::task_number what) {
  return " " + std::to_string(static_cast<std::uint64_t>(what) + 1);
}

std::string letter(std::size_t node) {
  return node == 0 ? "A" : "B";
}

template <class Message>
std::string words_of(const Message& message) {
  return std::visit(
    [](const auto& what) -> std::string {
      using type = std::decay_t<decltype(what)>;
      if constexpr (std::is_same_v<type, libpool::tasks_sent>) {
        std::string words = "tasks_sent";
        for (auto one : what.tasks)
          words += task(one);
        return words;
      } else if constexpr (std::is_same_v<type, libpool::steal_request>) {
        return "steal_request " + text(what.id) + " for "
               + letter(static_cast<std::size_t>(what.thief)) + ", at most "
               + text(what.max);
      } else if constexpr (std::is_same_v<type, libpool::steal_granted>) {
        auto words = "steal_granted " + text(what.id) + " with task";
        for (auto one : what.tasks)
          words += task(one);
        return words;
      } else if constexpr (std::is_same_v<type, libpool::steal_refused>) {
        return "steal_refused " + text(what.id);
      } else {
        return "task_done" + task(what.what)
               + (what.how == libpool::ending::completed ? "" : ", crashed");
      }
    },
    message);
}

} // namespace

std::string protocol_world::words_for(const protocol_step& what) const {
  const auto& who = nodes_[what.node];
  auto name = "node " + letter(what.node);
  auto number = libpool::task_number{what.what};
  switch (what.is) {
    case kind::assign:
      return "the pool sends task" + task(number) + " to " + name;
    case kind::request:
      return "the pool asks node " + letter(1U - what.node) + " for at most "
             + text(what.what) + " for " + name;
    case kind::deadline:
      return what.which > 0 ? "the deadlines of both requests pass"
                            : "a deadline passes";
    case kind::give_up:
      return "the pool gives up task" + task(number);
    case kind::begin:
      return name + " begins task" + task(who.machine.queue().front());
    case kind::complete:
      return name + " completes task" + task(who.machine.running().front());
    case kind::crash:
      return name + " crashes on task" + task(who.machine.running().front());
    case kind::to_node:
      return words_of(who.down[what.which]) + " arrives at " + name;
    case kind::to_pool:
      return words_of(who.up[what.which]) + " arrives from " + name;
    case kind::copy_to_node:
      return words_of(who.down[what.which]) + " to " + name + " is doubled";
    case kind::copy_to_pool:
      return words_of(who.up[what.which]) + " from " + name + " is doubled";
    case kind::drop_to_node:
      return words_of(who.down[what.which]) + " to " + name + " vanishes";
    case kind::drop_to_pool:
      return words_of(who.up[what.which]) + " from " + name + " vanishes";
    case kind::lose:
      return name + (how_.cuts_off ? " is cut off" : " dies");
    case kind::tell:
      return "the pool is told that " + name + " is lost";
    case kind::notice:
      return name + " notices that it is cut off";
  }
  return {};
}

} // namespace test

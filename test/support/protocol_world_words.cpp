#include "support/protocol_world.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <variant>

namespace test {

namespace {

using kind = protocol_step::kind;

template <class Number>
std::string text(Number number) {
  return std::to_string(static_cast<std::uint64_t>(number));
}

std::string task(libpool::task_number task) {
  return " " + std::to_string(static_cast<std::uint64_t>(task) + 1);
}

std::string letter(std::size_t node) {
  return node == 0 ? "A" : "B";
}

template <class Message>
std::string words_of(const Message& any) {
  return std::visit(
    [](const auto& message) -> std::string {
      using type = std::decay_t<decltype(message)>;
      if constexpr (std::is_same_v<type, libpool::tasks_sent>) {
        std::string words = "tasks_sent";
        for (auto one : message.tasks)
          words += task(one);
        return words;
      } else if constexpr (std::is_same_v<type, libpool::steal_request>) {
        return "steal_request " + text(message.id) + " for "
               + letter(static_cast<std::size_t>(message.thief)) + ", at most "
               + text(message.max);
      } else if constexpr (std::is_same_v<type, libpool::steal_granted>) {
        auto words = "steal_granted " + text(message.id) + " with task";
        for (auto one : message.tasks)
          words += task(one);
        return words;
      } else if constexpr (std::is_same_v<type, libpool::steal_refused>) {
        return "steal_refused " + text(message.id);
      } else {
        return "task_done" + task(message.task)
               + (message.how == libpool::ending::completed ? "" : ", crashed");
      }
    },
    any);
}

} // namespace

std::string protocol_world::words_for(const protocol_step& step) const {
  const auto& member = nodes_[step.node];
  auto name = "node " + letter(step.node);
  auto number = libpool::task_number{step.task};
  switch (step.is) {
    case kind::assign:
      return "the pool sends task" + task(number) + " to " + name;
    case kind::request:
      return "the pool asks node " + letter(1U - step.node) + " for at most "
             + text(step.task) + " for " + name;
    case kind::deadline:
      return step.which > 0 ? "the deadlines of both requests pass"
                            : "a deadline passes";
    case kind::give_up:
      return "the pool gives up task" + task(number);
    case kind::begin:
      return name + " begins task" + task(member.machine.queue().front());
    case kind::complete:
      return name + " completes task" + task(member.machine.running().front());
    case kind::crash:
      return name + " crashes on task" + task(member.machine.running().front());
    case kind::to_node:
      return words_of(member.down[step.which]) + " arrives at " + name;
    case kind::to_pool:
      return words_of(member.up[step.which]) + " arrives from " + name;
    case kind::copy_to_node:
      return words_of(member.down[step.which]) + " to " + name + " is doubled";
    case kind::copy_to_pool:
      return words_of(member.up[step.which]) + " from " + name + " is doubled";
    case kind::drop_to_node:
      return words_of(member.down[step.which]) + " to " + name + " vanishes";
    case kind::drop_to_pool:
      return words_of(member.up[step.which]) + " from " + name + " vanishes";
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

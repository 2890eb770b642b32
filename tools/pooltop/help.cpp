#include "help.hpp"

namespace pooltop {

std::vector<line> help_text() {
  std::vector<line> result{line{"pooltop: help", look::strong}};
  for (
    const char* each : {
      "Tab, right   next pool          left  previous pool",
      "w  f  n      workers, flows, nodes",
      "s            sort by the next column",
      "up, down     scroll; PgUp, PgDn, Home, End",
      "p            freeze the screen, or continue",
      "P  +  -      with the control token: pause, one worker more, one fewer",
      "C  X  D      cancel a flow, cancel all, drain; each asks first",
      "?            open or close this help",
      "q            quit",
      "waiting      tasks that have not started",
      "oldest       waiting time of the oldest task that waits",
      "arrived      recent tasks per second, with refused ones; also completed",
      "failed       share of failures among the tasks that ended recently",
      "held         tasks that wait for particular workers",
      "parked       tasks whose flows are paused or at their limits",
      "retrying     tasks that wait for the time of a retry",
      "overdue      settled tasks whose handlers still run",
      "stand-ins    workers beyond the wanted ones while others are stuck",
      "in flight    tasks that a worker has; busy: share of time with a task",
      "lag          service by which a flow is behind its fair share",
      "!            a problem; !!: a problem that loses tasks or answers",
    })
    result.emplace_back(each);
  return result;
}

} // namespace pooltop

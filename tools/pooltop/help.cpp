#include "help.hpp"

namespace pooltop {

std::vector<line> help_text() {
  std::vector<line> result{line{"pooltop: help", look::strong}};
  for (const char* each : {
         "Tab, right   next pool          left  previous pool",
         "w  f  n      workers, flows, nodes",
         "s            sort by the next column",
         "up, down     scroll; PgUp, PgDn, Home, End",
         "p            pause or continue",
         "?            open or close this help",
         "q            quit",
         "",
         "waiting      tasks that have not started",
         "oldest       waiting time of the oldest task that waits",
         "arrived      recent tasks per second, including refused tasks",
         "completed    recent tasks per second",
         "failed       share of failures among the tasks that ended recently",
         "held         tasks that wait for particular workers",
         "parked       tasks whose flows are paused or at their limits",
         "retrying     tasks that wait for the time of a retry",
         "overdue      settled tasks whose handlers still run",
         "tasks, busy  of a worker: tasks, and share of time with a task",
         "lag          service by which a flow is behind its fair share",
         "!            a problem; !!: a problem that loses tasks or answers",
       })
    result.emplace_back(each);
  return result;
}

} // namespace pooltop

#include "help.hpp"

namespace pooltop {

std::vector<line> help_text() {
  std::vector<line> result{line{"pooltop: help", look::strong}};
  for (const char* each : {
         "Tab, right   next pool          left  previous pool",
         "w  f  n      workers, flows, nodes",
         "s            sort by the next column",
         "up, down     scroll; PgUp, PgDn, Home, End",
         "p            pause, and go on",
         "?            this help, and back",
         "q            quit",
         "",
         "waiting      tasks that no worker has begun",
         "oldest       for how long the first of them waits",
         "arrived      tasks a second, of late, also those that were refused",
         "completed    tasks a second, of late",
         "failed       of the tasks that have ended of late",
         "held         wait for particular workers",
         "overdue      are over, but still run",
         "tasks, busy  of a worker: given; share of its time",
         "lag          of a flow: what it is owed of its share",
         "!  slow      !! tasks or answers are lost",
       })
    result.emplace_back(each);
  return result;
}

} // namespace pooltop

#include "libpool/observability/timeline/timeline.hpp"

#include "libpool/observability/timeline/lanes.hpp"
#include "libpool/observability/timeline/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace libpool {

namespace detail {

namespace {

/// Change of a number of tasks, by 1 or -1, from a moment on.
struct change {
  instant when;
  int by;
};

/// Writes one event after the other. Process 1 has the workers, process 2 the
/// waiting tasks; threads are numbered over both, from 1.
class trace {
public:
  trace(std::ostream& out, const timeline& timeline)
    : put_(out),
      timeline_(timeline),
      flows_(as_json(timeline.flows())),
      outcomes_(as_json(timeline.outcomes())) {
    for (auto& flow : flows_)
      if (flow == R"("")")
        flow = R"("task")";
  }

  void write() {
    put_(R"({"displayTimeUnit":"ns","traceEvents":[)");
    auto all = started_runs(timeline_);
    name_process(1, "workers");
    auto lanes = lanes_of(timeline_, all);
    for (const auto& each : lanes)
      not_started_ += each.rows;
    for (const auto& each : lanes)
      add(each);
    name_process(2, "waiting");
    name_thread(2, "not started");
    if (arrows_ > 0)
      name_thread(2, "submitted");
    std::size_t id = 0;
    for (const auto& each : timeline_.records())
      add_waiting(each, id++);
    count("running", 1, running());
    count("waiting", 2, waiting());
    put_("\n]}\n");
    put_.flush();
  }

private:
  static std::vector<std::string> as_json(const interned_texts& texts) {
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < texts.size(); ++i)
      out.push_back(json(texts[i]));
    return out;
  }

  template <class... Parts>
  void event(const Parts&... parts) {
    put_(is_first_ ? "\n{" : ",\n{", parts..., "}");
    is_first_ = false;
  }

  void name_process(int process, std::string_view name) {
    event(R"("ph":"M","pid":)", process,
          R"(,"tid":0,"name":"process_name","args":{"name":)", json(name), "}");
    event(R"("ph":"M","pid":)", process,
          R"(,"tid":0,"name":"process_sort_index","args":{"sort_index":)",
          process, "}");
  }

  void name_thread(int process, std::string_view name) {
    ++threads_;
    event(R"("ph":"M","pid":)", process, R"(,"tid":)", threads_,
          R"(,"name":"thread_name","args":{"name":)", json(name), "}");
    event(R"("ph":"M","pid":)", process, R"(,"tid":)", threads_,
          R"(,"name":"thread_sort_index","args":{"sort_index":)", threads_,
          "}");
  }

  void add(const lane& lane) {
    auto before = threads_;
    name_thread(1, lane.name);
    for (std::uint32_t row = 2; row <= lane.rows; ++row)
      name_thread(1, lane.name + " (" + std::to_string(row) + ")");
    for (auto i = lane.begin; i != lane.end; ++i)
      add(*i->record, before + 1 + i->row);
  }

  void add(const timeline::record& record, std::uint64_t thread) {
    auto end = end_of(record, timeline_);
    if (record.started > record.submitted)
      add_arrow(record, thread);
    event(R"("ph":"X","pid":1,"tid":)", thread, R"(,"ts":)",
          time(record.started), R"(,"dur":)",
          decimal((end - record.started).count()), R"(,"name":)",
          flows_[record.flow], arguments(record));
  }

  /// Writes an arrow from the submission of the task to its start. An arrow
  /// needs a slice at both ends.
  void add_arrow(const timeline::record& record, std::uint64_t thread) {
    auto first = not_started_ + 1;
    auto end = [&](const char* what, int process, std::uint64_t where,
                   instant when) {
      event(R"("ph":")", what, R"(","cat":"task","id":)", arrows_, R"(,"pid":)",
            process, R"(,"tid":)", where, R"(,"ts":)", time(when),
            R"(,"name":"start")");
    };
    event(R"("ph":"X","pid":2,"tid":)", first, R"(,"ts":)",
          time(record.submitted), R"(,"dur":0,"name":)", flows_[record.flow],
          arguments(record));
    end("s", 2, first, record.submitted);
    end(R"(f","bp":"e)", 1, thread, record.started);
    ++arrows_;
  }

  // -- how many at each moment ------------------------------------------------

  std::vector<change> running() const {
    std::vector<change> out;
    for (const auto& each : timeline_.records())
      if (each.started != never) {
        out.push_back({each.started, 1});
        if (each.finished != never)
          out.push_back({each.finished, -1});
      }
    return out;
  }

  std::vector<change> waiting() const {
    std::vector<change> out;
    for (const auto& each : timeline_.records()) {
      out.push_back({each.submitted, 1});
      if (each.started != never || each.finished != never)
        out.push_back({end_of_waiting(each, timeline_), -1});
    }
    return out;
  }

  void count(std::string_view name, int process, std::vector<change> changes) {
    std::sort(changes.begin(), changes.end(),
              [](const change& x, const change& y) { return x.when < y.when; });
    auto number = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      number += changes[i].by;
      if (i + 1 == changes.size() || changes[i + 1].when > changes[i].when)
        event(R"("ph":"C","pid":)", process, R"(,"ts":)", time(changes[i].when),
              R"(,"name":")", name, R"(","args":{"tasks":)", number, "}");
    }
  }

  /// Writes the waiting time as asynchronous events, because waiting times
  /// overlap.
  void add_waiting(const timeline::record& record, std::size_t id) {
    auto end = end_of_waiting(record, timeline_);
    if (end > record.submitted) {
      waiting("b", record, record.submitted, id);
      waiting("e", record, end, id);
    }
    if (record.started == never && record.finished != never)
      event(R"("ph":"i","s":"t","pid":2,"tid":)", not_started_, R"(,"ts":)",
            time(record.finished), R"(,"name":)", outcomes_[record.outcome],
            arguments(record));
  }

  void waiting(std::string_view phase, const timeline::record& record,
               instant when, std::size_t id) {
    event(R"("ph":")", phase, R"(","cat":"waiting","pid":2,"tid":)",
          not_started_, R"(,"id":)", id, R"(,"ts":)", time(when), R"(,"name":)",
          flows_[record.flow], phase == "b" ? arguments(record) : "");
  }

  std::string arguments(const timeline::record& record) const {
    std::string out{R"(,"args":{"task":)"};
    append_number(out, record.task);
    out += R"(,"outcome":)" + outcomes_[record.outcome];
    if (const auto& id = timeline_.traces()[record.trace]; !id.empty())
      out += R"(,"trace":)" + json(id);
    if (const auto& kind = timeline_.kinds()[record.kind]; !kind.empty())
      out += R"(,"kind":)" + json(kind);
    if (record.steals > 0) {
      out += R"(,"steals":)";
      append_number(out, record.steals);
    }
    return out + '}';
  }

  std::string time(instant when) const {
    return decimal((when - timeline_.first()).count());
  }

  printer put_;
  const timeline& timeline_;
  std::vector<std::string> flows_;
  std::vector<std::string> outcomes_;
  std::uint64_t threads_ = 0;
  std::uint64_t not_started_ = 1; // the thread after those of all workers
  std::uint64_t arrows_ = 0;
  bool is_first_ = true;
};

} // namespace

} // namespace detail

void write_trace(std::ostream& out, const timeline& timeline) {
  detail::trace{out, timeline}.write();
}

} // namespace libpool

#include "report.hpp"

#include "libpool/core/errc.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string_view>

namespace poolsim {

namespace {

std::string name_of(const task_row& row) {
  switch (row.is) {
    case fate::waiting:
      return "waiting";
    case fate::assigned:
      return "assigned";
    case fate::running:
      return "running";
    case fate::completed:
      return "completed";
    case fate::failed:
      return "failed:" + std::string{libpool::name_of(row.why)};
    case fate::cancelled:
      return "cancelled:" + std::string{libpool::name_of(row.why)};
    case fate::refused:
      return "refused:" + std::string{libpool::name_of(row.why)};
  }
  return "nonsense";
}

std::string name_of(const message_row& row) {
  switch (row.is) {
    case message_fate::open:
      return "open";
    case message_fate::answered:
      return "answered";
    case message_fate::failed:
      return "failed:" + std::string{libpool::name_of(row.why)};
    case message_fate::refused:
      return "refused:" + std::string{libpool::name_of(row.why)};
  }
  return "nonsense";
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string text_of_number(double number) {
  return nlohmann::json(number).dump();
}

/// A row of JSON, written field by field.
class row {
public:
  explicit row(std::string start) : text_(std::move(start)) {
    text_ += '{';
  }

  row& add(std::string_view key, std::string_view value) {
    if (text_.back() != '{')
      text_ += ", ";
    text_.append("\"").append(key).append("\": ").append(value);
    return *this;
  }

  row& add(std::string_view key, std::uint64_t number) {
    return add(key, std::to_string(number));
  }

  row& add(std::string_view key, duration time) {
    return add(key, time == not_yet ? "null" : std::to_string(time.count()));
  }

  std::string end() {
    return std::move(text_) + '}';
  }

private:
  std::string text_;
};

/// `[1, 2]`
template <class Values, class TextOf>
std::string list_of(const Values& values, TextOf text_of_one) {
  std::string result{"["};
  for (const auto& each : values) {
    if (result.size() > 1)
      result += ", ";
    result += text_of_one(each);
  }
  return result + "]";
}

std::string numbers(const std::vector<std::size_t>& all) {
  return list_of(all, [](std::size_t each) { return std::to_string(each); });
}

std::string text_of(const spread& spread) {
  return row{""}
    .add("mean", spread.mean)
    .add("p50", spread.p50)
    .add("p95", spread.p95)
    .add("p99", spread.p99)
    .end();
}

std::string text_of(const latencies& latencies) {
  return row{""}
    .add("wait", text_of(latencies.wait))
    .add("response", text_of(latencies.response))
    .end();
}

/// The text before the row of that index.
std::string before(std::size_t index) {
  return index == 0 ? "\n  " : ",\n  ";
}

void write_tasks(std::ostream& out, const result& result) {
  std::vector<std::string> flows;
  for (const auto& each : result.flows)
    flows.push_back(quoted(each.name));
  out << " \"tasks\": [";
  for (std::size_t i = 0; i < result.tasks.size(); ++i) {
    const auto& each = result.tasks[i];
    out << row{before(i)}
             .add("id", i)
             .add("flow", flows[each.flow])
             .add("worker",
                  each.worker == nobody ? "null" : std::to_string(each.worker))
             .add("submitted", each.submitted)
             .add("started", each.started)
             .add("finished", each.finished)
             .add("outcome", '"' + name_of(each) + '"')
             .add("moves", std::uint64_t{each.moves})
             .end();
  }
  out << "],\n";
}

void write_workers(std::ostream& out, const result& result) {
  out << " \"workers\": [";
  for (std::size_t i = 0; i < result.workers.size(); ++i) {
    const auto& each = result.workers[i];
    out << row{before(i)}
             .add("id", i)
             .add("completed", each.completed)
             .add("busy", each.busy)
             .add("running", numbers(each.running))
             .add("queued", numbers(each.queued))
             .end();
  }
  out << "],\n";
}

void write_flows(std::ostream& out, const result& result) {
  out << " \"flows\": [";
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const auto& each = result.flows[i];
    out << row{before(i)}
             .add("flow", quoted(each.name))
             .add("submitted", each.submitted)
             .add("completed", each.completed)
             .add("failed", each.failed)
             .add("cancelled", each.cancelled)
             .add("refused", each.refused)
             .add("waiting", each.waiting)
             .add("mean_seats", list_of(each.mean_seats, text_of_number))
             .add("latency", text_of(each.latency))
             .end();
  }
  out << "],\n";
}

void write_ledger(std::ostream& out, const libpool::ledger& books) {
  out << row{" \"ledger\": "}
           .add("accepted", books.accepted)
           .add("completed", books.completed)
           .add("failed", books.failed)
           .add("cancelled", books.cancelled)
           .add("refused", books.refused)
           .add("waiting", books.waiting)
           .add("assigned", books.assigned + books.sent)
           .add("running", books.running)
           .end();
}

void write_message_rows(std::ostream& out, const result& all) {
  out << ",\n  \"rows\": [";
  const auto& rows = all.messages->rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << row{before(i)}
             .add("id", i)
             .add("flow", quoted(all.flows[rows[i].flow].name))
             .add("submitted", rows[i].submitted)
             .add("finished", rows[i].finished)
             .add("outcome", '"' + name_of(rows[i]) + '"')
             .add("tasks", numbers(rows[i].tasks))
             .end();
  out << "]";
}

void write_messages(std::ostream& out, const result& all, detail how) {
  const auto& books = *all.messages;
  out << ",\n \"messages\": {\"ledger\": "
      << row{""}
           .add("answered", books.answered)
           .add("failed", books.failed)
           .add("refused", books.refused)
           .add("open", books.open)
           .end()
      << ", \"asked_again\": " << books.asked_again
      << ", \"response\": " << text_of(books.response);
  if (how == detail::tasks)
    write_message_rows(out, all);
  out << "}";
}

void write_nodes(std::ostream& out, const node_books& books) {
  out << ",\n \"nodes\": "
      << row{""}
           .add("sessions", books.sessions)
           .add("lost", books.lost)
           .add("given_back", books.given_back)
           .add("strays", books.strays)
           .add("letters", books.letters)
           .add("bytes", books.bytes)
           .add("result_bytes", books.result_bytes)
           .add("idle", books.idle)
           .end();
}

void write_latency(std::ostream& out, const latencies& latencies) {
  out << ",\n \"latency\": " << text_of(latencies);
}

} // namespace

void write_report(std::ostream& out, const result& result, detail how) {
  out << "{\"now\": " << result.now.count()
      << ", \"makespan\": " << result.makespan.count()
      << ", \"steals\": " << result.steals;
  if (result.leases)
    out << ", \"leases\": " << *result.leases;
  out << ",\n";
  if (how == detail::tasks)
    write_tasks(out, result);
  write_workers(out, result);
  write_flows(out, result);
  write_ledger(out, result.books);
  write_latency(out, result.latency);
  if (result.messages)
    write_messages(out, result, how);
  if (result.nodes)
    write_nodes(out, *result.nodes);
  out << "}\n";
}

} // namespace poolsim

#include "report.hpp"

#include "libpool/core/errc.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string_view>

namespace poolsim {

namespace {

using nlohmann::ordered_json;

std::string name_of(const task_row& row, const result& all) {
  switch (row.is) {
    case fate::waiting:
      return "waiting";
    case fate::assigned:
      return "assigned";
    case fate::running:
      return "running";
    case fate::completed:
      return row.error == 0 ? "completed"
                            : "completed:" + all.error_names[row.error - 1];
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

const char* name_of(user_event::action is) {
  using action = user_event::action;
  switch (is) {
    case action::pause:
      return "pause";
    case action::resume:
      return "resume";
    case action::set_limits:
      return "set_limits";
    case action::cancel:
      break;
  }
  return "cancel";
}

/// Null for a time that has not come.
ordered_json json_of(duration time) {
  return time == not_yet ? ordered_json() : ordered_json(time.count());
}

/// Null for no worker.
ordered_json worker_of(const task_row& row) {
  return row.worker == nobody ? ordered_json() : ordered_json(row.worker);
}

ordered_json json_of(const spread& spread) {
  return {{"mean", json_of(spread.mean)},
          {"p50", json_of(spread.p50)},
          {"p95", json_of(spread.p95)},
          {"p99", json_of(spread.p99)}};
}

ordered_json json_of(const latencies& latencies) {
  return {{"wait", json_of(latencies.wait)},
          {"response", json_of(latencies.response)}};
}

ordered_json json_of(const libpool::ledger& ledger) {
  return {{"accepted", ledger.accepted},
          {"completed", ledger.completed},
          {"failed", ledger.failed},
          {"cancelled", ledger.cancelled},
          {"refused", ledger.refused},
          {"waiting", ledger.waiting},
          {"assigned", ledger.assigned + ledger.sent},
          {"running", ledger.running}};
}

ordered_json json_of(const node_books& books) {
  return {{"sessions", books.sessions},         {"lost", books.lost},
          {"given_back", books.given_back},     {"strays", books.strays},
          {"batches", books.batches},           {"bytes", books.bytes},
          {"result_bytes", books.result_bytes}, {"idle", json_of(books.idle)}};
}

ordered_json json_of(const libpool::reason_counts& counts) {
  auto result = ordered_json::object();
  counts.for_each([&](libpool::errc why, std::uint64_t count) {
    result[libpool::name_of(why)] = count;
  });
  return result;
}

ordered_json json_of(const attempt_counts& counts) {
  return {
    {"mean", counts.mean}, {"most", counts.most}, {"tasks", counts.tasks}};
}

ordered_json json_of(const error_counts& counts) {
  return {{"answered", counts.answered},
          {"retried", counts.retried},
          {"refused", counts.refused}};
}

ordered_json json_of(const level& level) {
  return {{"mean", level.mean}, {"most", level.most}};
}

ordered_json json_of(std::size_t, const event_row& row, const result&) {
  using action = user_event::action;
  ordered_json out{{"at", json_of(row.at)}, {"do", name_of(row.is)}};
  if (row.is == action::pause)
    out["quiet"] = json_of(row.quiet);
  if (row.is == action::cancel) {
    out["waiting"] = row.waiting;
    out["running"] = row.running;
  }
  return out;
}

ordered_json json_of(const size_books& size, detail detail) {
  ordered_json result{{"mean", size.workers.mean},
                      {"most", size.workers.most},
                      {"worker_hours", size.worker_hours},
                      {"starts", size.starts}};
  if (detail == detail::tasks)
    for (const auto& [time, workers] : size.changes)
      result["changes"].push_back({time.count(), workers});
  return result;
}

/// There may be millions of them.
ordered_json json_of(std::size_t id, const task_row& row, const result& all) {
  ordered_json out;
  out["id"] = id;
  out["flow"] = all.flows[row.flow].name;
  out["worker"] = worker_of(row);
  out["submitted"] = json_of(row.submitted);
  out["started"] = json_of(row.started);
  out["finished"] = json_of(row.finished);
  out["outcome"] = name_of(row, all);
  out["moves"] = row.moves;
  out["attempts"] = row.attempts;
  out["retried_errors"] = row.retried_errors;
  if (all.joined)
    out["joined"] = row.has_joined;
  return out;
}

ordered_json json_of(std::size_t id, const worker_row& row, const result&) {
  ordered_json out{{"id", id},
                   {"completed", row.completed},
                   {"busy", json_of(row.busy)},
                   {"paused", json_of(row.paused)},
                   {"running", row.running},
                   {"queued", row.queued}};
  if (row.stands_in_for)
    out["stands_in_for"] = *row.stands_in_for;
  return out;
}

ordered_json json_of(std::size_t, const flow_row& row, const result&) {
  return {{"flow", row.name},
          {"submitted", row.submitted},
          {"completed", row.completed},
          {"failed", row.failed},
          {"cancelled", row.cancelled},
          {"refused", row.refused},
          {"waiting", row.waiting},
          {"failed_by", json_of(row.failed_by)},
          {"cancelled_by", json_of(row.cancelled_by)},
          {"attempts", json_of(row.attempts)},
          {"errors", json_of(row.errors)},
          {"parked", json_of(row.parked)},
          {"paused", json_of(row.paused)},
          {"mean_seats", row.mean_seats},
          {"latency", json_of(row.latency)}};
}

ordered_json json_of(std::size_t id, const message_row& row,
                     const result& all) {
  return {{"id", id},
          {"flow", all.flows[row.flow].name},
          {"submitted", json_of(row.submitted)},
          {"finished", json_of(row.finished)},
          {"outcome", name_of(row)},
          {"tasks", row.tasks}};
}

/// Writes a member of the answer behind others.
void write(std::ostream& out, std::string_view key, const ordered_json& value) {
  out << ",\n \"" << key << "\":" << value;
}

/// Writes a list, row by row: as one value of JSON it could be too much for the
/// memory.
template <class Row>
void write_rows(std::ostream& out, std::string_view key,
                const std::vector<Row>& rows, const result& all) {
  out << ",\n \"" << key << "\":[";
  for (std::size_t i = 0; i < rows.size(); ++i)
    out << (i == 0 ? "\n  " : ",\n  ") << json_of(i, rows[i], all);
  out << ']';
}

void write_messages(std::ostream& out, const result& all, detail detail) {
  const auto& books = *all.messages;
  const ordered_json ledger{{"answered", books.answered},
                            {"failed", books.failed},
                            {"refused", books.refused},
                            {"open", books.open}};
  out << ",\n \"messages\":{\"ledger\":" << ledger;
  write(out, "asked_again", books.asked_again);
  write(out, "response", json_of(books.response));
  if (detail == detail::tasks)
    write_rows(out, "rows", books.rows, all);
  out << '}';
}

} // namespace

void write_report(std::ostream& out, const result& result, detail detail) {
  out << "{\"now\":" << result.now.count();
  write(out, "makespan", json_of(result.makespan));
  write(out, "steals", result.steals);
  if (result.joined)
    write(out, "joined", *result.joined);
  if (result.leases)
    write(out, "leases", *result.leases);
  if (detail == detail::tasks)
    write_rows(out, "tasks", result.tasks, result);
  write_rows(out, "workers", result.workers, result);
  write_rows(out, "flows", result.flows, result);
  write(out, "ledger", json_of(result.books));
  write(out, "latency", json_of(result.latency));
  write(out, "failed_by", json_of(result.failed_by));
  write(out, "cancelled_by", json_of(result.cancelled_by));
  write(out, "attempts", json_of(result.attempts));
  write(out, "errors", json_of(result.errors));
  write(out, "parked", json_of(result.parked));
  write(out, "retrying", json_of(result.retrying));
  write(out, "paused", json_of(result.paused));
  if (!result.events.empty())
    write_rows(out, "events", result.events, result);
  if (result.messages)
    write_messages(out, result, detail);
  if (result.nodes)
    write(out, "nodes", json_of(*result.nodes));
  if (result.size)
    write(out, "size", json_of(*result.size, detail));
  out << "}\n";
}

} // namespace poolsim

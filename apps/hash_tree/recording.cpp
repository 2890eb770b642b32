#include "recording.hpp"

#include "libpool/actors/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <tuple>
#include <utility>

namespace hash_tree {

namespace {

[[noreturn]] void fail_to_record() {
  throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
}

/// The number of a request, which its answer has as well.
std::uint64_t number_of(caf::message_id request) {
  return request.request_id().integer_value();
}

std::string without_slashes(std::string path) {
  path.erase(path.find_last_not_of('/') + 1);
  return path;
}

std::string name_of(libpool::outcome outcome) {
  switch (outcome) {
    case libpool::outcome::completed:
      return "completed";
    case libpool::outcome::refused:
      return "refused";
    case libpool::outcome::failed:
      return "failed";
    default:
      return "cancelled";
  }
}

} // namespace

folders::folders(const std::vector<std::string>& paths) {
  for (const auto& path : paths)
    paths_.insert(without_slashes(path));
}

std::string folders::of(const std::string& file) const {
  const auto last = file.rfind('/');
  if (last == std::string::npos)
    return ".";
  auto end = last;
  for (auto i = file.find('/'); i < last; i = file.find('/', i + 1)) {
    if (paths_.count(file.substr(0, i)) == 0)
      continue;
    end = file.find('/', file.find_first_not_of('/', i));
    break;
  }
  return end == 0 ? "/" : file.substr(0, end);
}

recording::recording(caf::actor_system& system,
                     const std::vector<std::string>& paths)
  : system_(system), folders_(paths) {
  // nop
}

void recording::requested(caf::message_id id, const std::string& file) {
  auto folder = folders_.of(file);
  const std::lock_guard<std::mutex> guard{mutex_};
  folder_of_request_[hash_tree::number_of(id)] = std::move(folder);
}

void recording::settled(const libpool::settled_task& settled) {
  auto outcome = name_of(settled.how);
  if (settled.reason)
    outcome += ": " + libpool::render(settled.reason, system_);
  const std::lock_guard<std::mutex> guard{mutex_};
  libpool::timeline::span task;
  task.steals = settled.steals;
  task.task = settled.number;
  task.worker = number_of(settled.worker);
  task.submitted = settled.accepted;
  task.started = settled.started;
  task.finished = settled.settled;
  settled_.push_back(
    {hash_tree::number_of(settled.id), task, std::move(outcome)});
}

std::optional<libpool::worker_number>
recording::number_of(const caf::actor& worker) {
  if (!worker)
    return std::nullopt;
  const libpool::worker_number next{workers_.size() + 1};
  return workers_.try_emplace(worker.id(), next).first->second;
}

std::string recording::folder_of(const settled_request& settled) const {
  const auto i = folder_of_request_.find(settled.id);
  return i == folder_of_request_.end() ? "" : i->second;
}

/// A worker runs one task after the other; that the pool hears a moment later
/// of the end does not make them overlap.
std::vector<recording::settled_request> recording::one_at_a_time() const {
  auto out = settled_;
  std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) {
    return std::tie(x.span.worker, x.span.started)
           < std::tie(y.span.worker, y.span.started);
  });
  for (std::size_t i = 1; i < out.size(); ++i) {
    const auto& next = out[i].span;
    auto& before = out[i - 1].span;
    if (before.worker == next.worker)
      before.finished = std::min(before.finished, next.started);
  }
  return out;
}

libpool::timeline recording::to_timeline() const {
  const std::lock_guard<std::mutex> guard{mutex_};
  libpool::timeline out;
  for (const auto& each : one_at_a_time()) {
    const auto folder = folder_of(each);
    auto task = each.span;
    task.flow = folder;
    task.outcome = each.outcome;
    out.add(task);
  }
  return out;
}

timeline_file::timeline_file(const std::string& path, writer write_timeline)
  : how_(write_timeline) {
  errno = 0;
  file_.open(path);
  if (!file_)
    fail_to_record();
}

void timeline_file::write(const libpool::timeline& timeline) {
  errno = 0;
  how_(file_, timeline);
  file_.close();
  if (!file_)
    fail_to_record();
}

} // namespace hash_tree

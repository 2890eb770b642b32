#include "submitter.hpp"

#include "content.hpp"
#include "hashing.hpp"
#include "libpool/actors/error.hpp"
#include "port/sending.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace farm {

namespace {

constexpr std::size_t most_ahead = 8192;

/// Number of files after which the submitter looks for answers.
constexpr int files_at_once = 64;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

} // namespace

submitter::submitter(caf::actor_config& cfg, submission submission,
                     hash_tree::walk& files, const std::atomic<bool>& stop)
  : caf::event_based_actor(cfg),
    to_(std::move(submission)),
    files_(files),
    stop_(stop) {
  // nop
}

caf::behavior submitter::make_behavior() {
  local_ = spawn<caf::detached>(local_hasher, &stop_);
  port::send(this, this, caf::tick_atom{});
  return {[this](caf::tick_atom) { pump(); }};
}

void submitter::on_exit() {
  to_.pool = nullptr;
  local_ = nullptr;
}

void submitter::pump() {
  for (int i = 0; i < files_at_once && has_room(); ++i)
    admit(*std::exchange(ahead_, std::nullopt));
  emit();
  if (stop_ || (walk_ended_ && window_.size() == 0))
    quit();
  else if (has_room())
    port::send(this, this, caf::tick_atom{});
}

/// Whether there is a next item.
bool submitter::look_ahead() {
  if (ahead_ || walk_ended_)
    return ahead_.has_value();
  ahead_ = files_.next();
  walk_ended_ = !ahead_;
  if (ahead_ && ahead_->is == hash_tree::found::kind::regular)
    size_ahead_ = hash_tree::size_of(ahead_->path);
  else
    size_ahead_ = 0;
  return !walk_ended_;
}

/// Whether the next item may come.
bool submitter::has_room() {
  if (stop_ || window_.size() >= most_ahead || !look_ahead())
    return false;
  return size_ahead_ > to_.largest || under_way_ == 0
         || (under_way_ < to_.capacity
             && size_ahead_ <= to_.capacity - under_way_);
}

void submitter::admit(const hash_tree::found& item) {
  result entry;
  entry.path = item.path;
  entry.skipped = item.is == hash_tree::found::kind::special;
  const auto number = window_.open(std::move(entry));
  if (item.is == hash_tree::found::kind::failed)
    fail(number, text_of(item.error));
  else if (item.is == hash_tree::found::kind::special)
    window_.close(number);
  else if (size_ahead_ > to_.largest)
    hash_here(number, item.path);
  else
    submit(number, item.path);
}

void submitter::submit(std::uint64_t number, const std::string& path) {
  auto read = read_file(path, to_.largest);
  if (read.error == EFBIG) // has grown
    return hash_here(number, path);
  if (read.error != 0)
    return fail(number, text_of(read.error));
  const auto size = read.bytes.size();
  under_way_ += size;
  const auto id = to_.with_ids ? id_of(path, read) : std::string{};
  (to_.with_ids
     ? port::request(this, to_.pool, caf::infinite, id, std::move(read.bytes))
     : port::request(this, to_.pool, caf::infinite, std::move(read.bytes)))
    .then(
      [=](const std::string& digest, const std::string& node) {
        under_way_ -= size;
        settle(number, {{}, digest_in(digest), size, node});
        pump();
      },
      [=](const caf::error& why) {
        under_way_ -= size;
        if (why == libpool::errc::too_large)
          hash_here(number, path);
        else
          fail(number, libpool::render(why, system()));
        pump();
      });
}

void submitter::hash_here(std::uint64_t number, const std::string& path) {
  port::request(this, local_, caf::infinite, path)
    .then(
      [=](std::int32_t error, const std::string& digest, std::uint64_t size) {
        if (error != 0)
          fail(number, text_of(error));
        else
          settle(number, {{}, digest_in(digest), size});
        pump();
      },
      [=](const caf::error& why) {
        fail(number, libpool::render(why, system()));
        pump();
      });
}

void submitter::settle(std::uint64_t number, result with) {
  auto& entry = *window_.find(number);
  with.path = std::move(entry.path);
  entry = std::move(with);
  window_.close(number);
}

void submitter::fail(std::uint64_t number, const std::string& why) {
  window_.find(number)->error = why;
  window_.close(number);
}

void submitter::emit() {
  while (auto next = window_.take())
    to_.settled(*next);
}

} // namespace farm

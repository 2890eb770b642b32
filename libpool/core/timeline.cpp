#include "libpool/core/timeline.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <queue>
#include <tuple>
#include <type_traits>
#include <utility>

namespace libpool {

// -- keeping ------------------------------------------------------------------

std::uint32_t interned_texts::number_of(std::string_view text) {
  auto i = numbers_.find(text);
  if (i == numbers_.end()) {
    i = numbers_.emplace(text, size()).first;
    texts_.push_back(&i->first);
  }
  return i->second;
}

void timeline::add_worker(worker_number who, std::string_view name) {
  auto& known = workers_[who];
  if (!name.empty())
    known = name;
}

void timeline::add(const span& what) {
  constexpr worker_number nobody{std::numeric_limits<std::uint64_t>::max()};
  assert(what.worker || what.started == never);
  record kept{what.task,
              what.worker.value_or(nobody),
              std::min({what.submitted, what.started, what.finished}),
              what.started,
              what.finished,
              flows_.number_of(what.flow),
              outcomes_.number_of(what.outcome)};
  assert(kept.submitted != never);
  if (kept.started != never)
    kept.started = std::min(kept.started, kept.finished);
  records_.push_back(kept);
  if (what.worker)
    workers_.try_emplace(*what.worker);
  for (auto moment : {kept.submitted, kept.started, kept.finished})
    if (moment != never)
      extend_to(moment);
}

void timeline::extend_to(instant moment) noexcept {
  first_ = std::min(first_, moment);
  last_ = std::max(last_, moment);
}

namespace {

// -- text ---------------------------------------------------------------------

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

/// Bytes of the well-formed UTF-8 sequence that the text begins with, 0 if it
/// begins with none.
/// @pre !text.empty()
std::size_t sequence_length(std::string_view text) noexcept {
  auto byte = [=](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  auto lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  auto least = lead == 0xE0 ? 0xA0U : lead == 0xF0 ? 0x90U : 0x80U;
  auto most = lead == 0xED ? 0x9FU : lead == 0xF4 ? 0x8FU : 0xBFU;
  if (byte(1) < least || byte(1) > most)
    return 0;
  std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80)
      return 0;
  return length;
}

/// Calls `use` with each character; what is no UTF-8 is replaced.
template <class Function>
void each_character(std::string_view text, Function use) {
  while (!text.empty()) {
    auto length = sequence_length(text);
    use(length == 0 ? replacement : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

bool is_control(std::string_view character) noexcept {
  return static_cast<unsigned char>(character.front()) < 0x20;
}

void append_json(std::string& to, std::string_view character) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (is_control(character)) {
    auto code = static_cast<unsigned char>(character.front());
    to.append("\\u00").append(1, digits[code >> 4U]);
    to += digits[code & 15U];
    return;
  }
  if (character == "\"" || character == "\\")
    to += '\\';
  to += character;
}

/// A JSON string, with its quotes.
std::string json(std::string_view text) {
  std::string out{'"'};
  each_character(text, [&](auto x) { append_json(out, x); });
  out += '"';
  return out;
}

/// What stands in XML for it; XML has no way to say most control characters.
std::string_view xml_character(std::string_view character) noexcept {
  if (character == "<")
    return "&lt;";
  if (character == ">")
    return "&gt;";
  if (character == "&")
    return "&amp;";
  if (character == "\"")
    return "&quot;";
  auto is_noncharacter = character == "\xEF\xBF\xBE"
                         || character == "\xEF\xBF\xBF";
  auto is_space = character == "\n" || character == "\r" || character == "\t";
  return is_noncharacter || (is_control(character) && !is_space) ? replacement
                                                                 : character;
}

std::string xml(std::string_view text) {
  std::string out;
  each_character(text, [&](auto x) { out += xml_character(x); });
  return out;
}

template <class Integer>
void append_number(std::string& to, Integer value) {
  std::array<char, 24> digits{};
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  to.append(digits.data(), end.ptr);
}

/// A number of thousandths as a decimal fraction.
/// @pre value >= 0
std::string decimal(std::int64_t thousandths) {
  std::string out;
  append_number(out, thousandths / 1000);
  auto rest = thousandths % 1000;
  if (rest == 0)
    return out;
  out += '.';
  for (; rest != 0; rest = rest * 10 % 1000)
    append_number(out, rest / 100);
  return out;
}

/// Puts texts and whole numbers together and writes them in large pieces,
/// whatever the stream thinks of numbers.
class printer {
public:
  explicit printer(std::ostream& out) : out_(out) {
    // nop
  }

  template <class... Parts>
  void operator()(const Parts&... parts) {
    constexpr std::size_t enough = 32768;
    (add(parts), ...);
    if (text_.size() >= enough)
      flush();
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

private:
  template <class Part>
  void add(const Part& part) {
    if constexpr (std::is_integral_v<Part>)
      append_number(text_, part);
    else
      text_ += std::string_view{part};
  }

  std::ostream& out_;
  std::string text_;
};

// -- lanes --------------------------------------------------------------------

/// A task that was started, and in which row of its worker's lane it is.
struct run {
  const timeline::record* what;
  std::uint32_t row;
};

using runs = std::vector<run>;

/// Gives each run the first row that is free, so that none overlap there.
class row_giver {
public:
  std::uint32_t take(instant from, instant to) {
    while (!taken_.empty() && taken_.top().first <= from) {
      free_.push(taken_.top().second);
      taken_.pop();
    }
    if (free_.empty())
      free_.push(rows_++);
    auto row = free_.top();
    free_.pop();
    taken_.emplace(to, row);
    return row;
  }

  std::uint32_t rows() const noexcept {
    return rows_;
  }

private:
  template <class T>
  using least_first = std::priority_queue<T, std::vector<T>, std::greater<>>;

  least_first<std::pair<instant, std::uint32_t>> taken_;
  least_first<std::uint32_t> free_;
  std::uint32_t rows_ = 0;
};

/// A worker and its runs: row by row, and by time within each.
struct lane {
  worker_number worker;
  std::string name;
  std::uint32_t rows;
  runs::const_iterator begin;
  runs::const_iterator end;
};

runs started_runs(const timeline& of) {
  runs out;
  for (const auto& each : of.records())
    if (each.started != never)
      out.push_back({&each, 0});
  std::sort(out.begin(), out.end(), [](const run& x, const run& y) {
    return std::tie(x.what->worker, x.what->started, x.what)
           < std::tie(y.what->worker, y.what->started, y.what);
  });
  return out;
}

/// Returns how many rows it takes, at least one.
std::uint32_t give_rows(runs::iterator begin, runs::iterator end) {
  row_giver giver;
  for (auto i = begin; i != end; ++i)
    i->row = giver.take(i->what->started, i->what->finished);
  std::sort(begin, end, [](const run& x, const run& y) {
    return std::tie(x.row, x.what->started, x.what)
           < std::tie(y.row, y.what->started, y.what);
  });
  return std::max(giver.rows(), 1U);
}

std::string name_of(worker_number who, const std::string& name) {
  if (!name.empty())
    return name;
  return "worker " + std::to_string(static_cast<std::uint64_t>(who));
}

/// All lanes, in the order of the workers' numbers.
/// @param all what `started_runs` returned
std::vector<lane> lanes_of(const timeline& what, runs& all) {
  std::vector<lane> out;
  auto end = all.begin();
  for (const auto& [who, name] : what.workers()) {
    auto begin = end;
    while (end != all.end() && end->what->worker == who)
      ++end;
    out.push_back({who, name_of(who, name), give_rows(begin, end), begin, end});
  }
  return out;
}

// -- the trace ----------------------------------------------------------------

/// Writes one event after the other. Processes are 1, of the workers, and 2, of
/// what waits; threads are numbered over both, from 1.
class trace {
public:
  trace(std::ostream& out, const timeline& what)
    : put_(out),
      what_(what),
      flows_(as_json(what.flows())),
      outcomes_(as_json(what.outcomes())) {
    for (auto& flow : flows_)
      if (flow == R"("")")
        flow = R"("task")";
  }

  void write() {
    put_(R"({"displayTimeUnit":"ns","traceEvents":[)");
    auto all = started_runs(what_);
    name_process(1, "workers");
    for (const auto& each : lanes_of(what_, all))
      add(each);
    name_process(2, "waiting");
    name_thread(2, "not started");
    std::size_t id = 0;
    for (const auto& each : what_.records())
      add_waiting(each, id++);
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

  void add(const lane& of) {
    auto before = threads_;
    name_thread(1, of.name);
    for (std::uint32_t row = 2; row <= of.rows; ++row)
      name_thread(1, of.name + " (" + std::to_string(row) + ")");
    for (auto i = of.begin; i != of.end; ++i)
      add(*i->what, before + 1 + i->row);
  }

  void add(const timeline::record& of, std::uint64_t thread) {
    auto end = std::min(of.finished, what_.last());
    event(R"("ph":"X","pid":1,"tid":)", thread, R"(,"ts":)", time(of.started),
          R"(,"dur":)", decimal((end - of.started).count()), R"(,"name":)",
          flows_[of.flow], arguments(of));
  }

  /// The waiting is asynchronous, since much of it overlaps.
  void add_waiting(const timeline::record& of, std::size_t id) {
    auto end = std::min({of.started, of.finished, what_.last()});
    if (end > of.submitted) {
      waiting("b", of, of.submitted, id);
      waiting("e", of, end, id);
    }
    if (of.started == never && of.finished != never)
      event(R"("ph":"i","s":"t","pid":2,"tid":)", threads_, R"(,"ts":)",
            time(of.finished), R"(,"name":)", outcomes_[of.outcome],
            arguments(of));
  }

  void waiting(std::string_view phase, const timeline::record& of, instant when,
               std::size_t id) {
    event(R"("ph":")", phase, R"(","cat":"waiting","pid":2,"tid":)", threads_,
          R"(,"id":)", id, R"(,"ts":)", time(when), R"(,"name":)",
          flows_[of.flow], phase == "b" ? arguments(of) : "");
  }

  std::string arguments(const timeline::record& of) const {
    std::string out{R"(,"args":{"task":)"};
    append_number(out, of.task);
    return out + R"(,"outcome":)" + outcomes_[of.outcome] + '}';
  }

  std::string time(instant when) const {
    return decimal((when - what_.first()).count());
  }

  printer put_;
  const timeline& what_;
  std::vector<std::string> flows_;
  std::vector<std::string> outcomes_;
  std::uint64_t threads_ = 0;
  bool is_first_ = true;
};

// -- times and numbers for people ---------------------------------------------

struct unit {
  std::string_view name;
  duration length;
  /// From where on times are told in it.
  duration least;
};

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr duration one_ns{1};
constexpr duration one_us{1000};
constexpr duration one_ms{1'000'000};

constexpr std::array units{
  unit{"d", hours{24}, hours{48}},     unit{"h", hours{1}, hours{2}},
  unit{"min", minutes{1}, minutes{2}}, unit{"s", seconds{1}, seconds{1}},
  unit{"ms", one_ms, one_ms},          unit{"\u00B5s", one_us, one_us},
  unit{"ns", one_ns, one_ns},
};

const unit& unit_for(duration what) noexcept {
  return *std::find_if(units.begin(), units.end() - 1,
                       [=](const unit& x) { return what >= x.least; });
}

std::string text_of(duration what, const unit& in) {
  auto whole = what / in.length;
  auto rest = (what % in.length).count();
  auto length = in.length.count();
  auto out = decimal(whole * 1000 + (rest * 1000 + length / 2) / length);
  return out.append("\u00A0").append(in.name);
}

std::string text_of(duration what) {
  return text_of(what, unit_for(what));
}

/// With a narrow space after each thousand.
std::string grouped(std::uint64_t number) {
  auto out = std::to_string(number);
  for (auto at = out.size(); at > 3;)
    out.insert(at -= 3, "\u202F");
  return out;
}

std::string counted(std::uint64_t number, std::string_view what) {
  auto out = grouped(number).append(" ").append(what);
  return number == 1 ? out : out + 's';
}

std::string percent(double share) {
  return std::to_string(std::llround(100 * share)) + "\u2009%";
}

/// The least of 1, 2, 5, 10, … times `step` that is not below `least`.
template <class Number>
Number round_up(Number step, Number least) {
  for (;; step *= 10)
    for (auto multiple : {step, step * 2, step * 5})
      if (multiple >= least)
        return multiple;
}

/// So that there are at most ten ticks up to the end.
duration tick_step(duration end) {
  auto least = end / 10;
  if (least <= seconds{10})
    return round_up(one_ns, least);
  for (duration step :
       {duration{seconds{30}}, duration{minutes{1}}, duration{minutes{2}},
        duration{minutes{5}}, duration{minutes{10}}, duration{minutes{15}},
        duration{minutes{30}}, duration{hours{1}}, duration{hours{2}},
        duration{hours{6}}, duration{hours{12}}})
    if (step >= least)
      return step;
  return round_up(duration{hours{24}}, least);
}

// -- the look of the picture --------------------------------------------------

/// Of all lengths in the picture.
using pixels = double;

std::string text_of(pixels what) {
  return decimal(std::llround(std::max(what, 0.0) * 100) * 10);
}

constexpr pixels page_width = 1200;
constexpr pixels margin = 24;
constexpr pixels share_width = 44; // of what is right of the lanes
constexpr pixels line_height = 20;
constexpr pixels area_height = 56;
constexpr pixels small_font = 11;

/// About, since the font is not known.
pixels text_width(std::string_view text, pixels font) {
  pixels out = 0;
  each_character(text, [&](auto x) { out += x.size() == 1 ? 0.6 : 1.0; });
  return out * font;
}

/// So many characters of it at most.
std::string shortened(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t size = 0;
  std::size_t kept = 0;
  each_character(text, [&](auto x) {
    if (++size <= most)
      out += x;
    if (size < most)
      kept = out.size();
  });
  return size <= most ? out : out.substr(0, kept) + "\u2026";
}

/// Okabe and Ito's colours, which are told apart also by those who see fewer,
/// in an order that keeps neighbours apart; the last one is for the rest.
constexpr std::array<std::string_view, 8> palette{
  "#56b4e9", "#e69f00", "#009e73", "#cc79a7",
  "#f0e442", "#0072b2", "#d55e00", "#a5a5a5"};

constexpr std::size_t named_colours = palette.size() - 1;
constexpr std::size_t dark_colour = 5;

constexpr std::string_view style = R"svg(<style>
text{font:11px system-ui,"Segoe UI","Helvetica Neue",Arial,sans-serif;fill:#40454d}
.h{font-size:17px;font-weight:600;fill:#16191d}
.s{font-size:12px}
.m{fill:#747b85}
.e{text-anchor:end}
.c{text-anchor:middle}
.n{font-variant-numeric:tabular-nums}
.t{font-size:10px;fill:#16191d;text-anchor:middle;pointer-events:none}
.w{fill:#fff}
.g{stroke:#d9dde2;stroke-width:1}
.z{fill:#f4f6f8}
.x{fill:url(#x);pointer-events:none}
.r rect:hover{stroke:#16191d;stroke-width:1.5}
)svg";

/// Over what has not been completed.
constexpr std::string_view hatching = R"svg(</style>
<defs><pattern id="x" width="5" height="5" patternUnits="userSpaceOnUse"
patternTransform="rotate(45)"><path d="M0,0v5" stroke="#16191d"
stroke-width="2.5" stroke-opacity="0.55"/></pattern></defs>
<rect width="100%" height="100%" fill="#fff"/>
)svg";

// -- shares -------------------------------------------------------------------

/// How much of each column of the picture each colour takes: 1 is all of it, or
/// one task all the time.
class column_shares {
public:
  explicit column_shares(std::size_t columns)
    : columns_(columns), colours_(palette.size()) {
    for (auto& each : colours_) {
      each.part.resize(columns + 2);
      each.change.resize(columns + 2);
    }
  }

  /// From and to where, in parts of the whole.
  void add(std::size_t colour, double from, double to) {
    auto& of = colours_[colour];
    from *= static_cast<double>(columns_);
    to *= static_cast<double>(columns_);
    auto first = static_cast<std::size_t>(from);
    auto last = static_cast<std::size_t>(to);
    ++of.count;
    of.part[first] -= from - static_cast<double>(first);
    of.part[last] += to - static_cast<double>(last);
    ++of.change[first];
    --of.change[last];
  }

  std::size_t count(std::size_t colour) const noexcept {
    return colours_[colour].count;
  }

  std::vector<double> of(std::size_t colour) const {
    std::vector<double> out;
    std::int64_t whole = 0;
    for (std::size_t i = 0; i < columns_; ++i) {
      whole += colours_[colour].change[i];
      out.push_back(static_cast<double>(whole) + colours_[colour].part[i]);
    }
    return out;
  }

  std::size_t columns() const noexcept {
    return columns_;
  }

  /// The most that all colours together take of a column.
  double most() const {
    std::vector<double> sums(columns_);
    for (std::size_t colour = 0; colour < palette.size(); ++colour)
      add_to(sums, of(colour));
    return *std::max_element(sums.begin(), sums.end());
  }

  static void add_to(std::vector<double>& sums,
                     const std::vector<double>& more) {
    std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(),
                   std::plus<>{});
  }

private:
  struct one_colour {
    std::size_t count = 0;
    std::vector<double> part;
    std::vector<std::int64_t> change;
  };

  std::size_t columns_;
  std::vector<one_colour> colours_;
};

// -- the picture --------------------------------------------------------------

class gantt {
public:
  gantt(std::ostream& out, const timeline& what)
    : put_(out),
      what_(what),
      whole_(std::max(what.last() - what.first(), one_ns)),
      runs_(started_runs(what)),
      lanes_(lanes_of(what, runs_)) {
    choose_colours();
    choose_lanes();
    find_unstarted();
    measure();
    choose_bars();
  }

  void write() {
    begin();
    heading();
    legend();
    ticks();
    areas();
    unstarted_lane();
    for (std::size_t i = 0; i < drawn_lanes_; ++i)
      draw(lanes_[i], i);
    lane_names();
    left_out();
    put_("</svg>\n");
    put_.flush();
  }

private:
  static constexpr std::uint32_t most_rows = 256;
  static constexpr std::size_t most_bars = 20'000;
  static constexpr std::size_t many_rows = 64;
  /// Columns, of the areas and of each row.
  static constexpr std::size_t fine = 1000;
  static constexpr std::size_t coarse = 250;

  struct legend_entry {
    std::string look;
    std::string text;
    std::string title;
    pixels x;
    pixels y;
  };

  // -- preparing --------------------------------------------------------------

  instant end_of(const timeline::record& of) const noexcept {
    return std::min(of.finished, what_.last());
  }

  instant end_of_waiting(const timeline::record& of) const noexcept {
    return std::min({of.started, of.finished, what_.last()});
  }

  bool is_completed(const timeline::record& of) const noexcept {
    return what_.outcomes()[of.outcome] == "completed";
  }

  bool all_completed() const noexcept {
    return std::all_of(runs_.begin(), runs_.end(),
                       [this](const run& x) { return is_completed(*x.what); });
  }

  /// The flows that ran longest get a colour of their own.
  void choose_colours() {
    std::vector<duration> times(what_.flows().size());
    for (const auto& each : runs_)
      times[each.what->flow] += end_of(*each.what) - each.what->started;
    std::vector<std::uint32_t> flows(times.size());
    for (std::uint32_t i = 0; i < flows.size(); ++i)
      flows[i] = i;
    std::stable_sort(flows.begin(), flows.end(),
                     [&](auto x, auto y) { return times[x] > times[y]; });
    flows.resize(std::min(flows.size(), named_colours));
    std::sort(flows.begin(), flows.end());
    colours_.assign(times.size(), named_colours);
    for (std::size_t i = 0; i < flows.size(); ++i)
      colours_[flows[i]] = i;
    colour_flows_ = std::move(flows);
  }

  /// Of one that has too many, the last one takes the rest.
  static std::uint32_t rows_of(const lane& of) noexcept {
    return std::min(of.rows, most_rows);
  }

  /// Those that find room.
  void choose_lanes() {
    for (const auto& each : lanes_) {
      if (rows_ + rows_of(each) > most_rows)
        break;
      rows_ += rows_of(each);
      ++drawn_lanes_;
    }
  }

  /// So that there are not too many bars.
  void choose_bars() {
    while (bars_of_at_least(shortest_bar_) > most_bars)
      shortest_bar_ *= 2;
  }

  std::size_t bars_of_at_least(pixels width) const {
    return static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(),
                    [&](const run& x) { return width_of(*x.what) >= width; }));
  }

  void find_unstarted() {
    for (const auto& each : what_.records())
      if (each.started == never && each.finished != never)
        unstarted_.push_back(&each);
    std::stable_sort(
      unstarted_.begin(), unstarted_.end(),
      [](auto* x, auto* y) { return x->finished < y->finished; });
  }

  /// Where things go, from top to bottom.
  void measure() {
    for (std::size_t i = 0; i < drawn_lanes_; ++i)
      left_ = std::max(left_, margin + 10
                                + text_width(label_of(lanes_[i]), small_font));
    width_ = page_width - margin - share_width - left_;
    row_ = std::clamp(
      std::floor(768.0 / static_cast<double>(std::max<std::size_t>(rows_, 1))),
      4.0, 26.0);
    bar_ = row_ - std::max(1.0, std::floor(row_ / 4));
    place_legend();
    areas_ = y_ + (has_ticks_above() ? 44 : 28);
    y_ = areas_ + area_height;
    if (rows_ > many_rows)
      y_ += area_height + 12;
    lanes_top_ = y_ += 12;
    if (!unstarted_.empty())
      y_ += std::max(row_, 16.0) + 4;
    first_lane_ = y_;
    y_ += row_ * static_cast<double>(rows_);
    bottom_ = y_;
    y_ += 30;
    if (drawn_lanes_ < lanes_.size())
      y_ += line_height;
  }

  bool has_ticks_above() const noexcept {
    return rows_ > 16;
  }

  void place_legend() {
    y_ = 76;
    pixels x = margin;
    auto place = [&](std::string look, std::string text, std::string title) {
      auto width = 36 + text_width(text, 12);
      if (x > margin && x + width > page_width - margin) {
        x = margin;
        y_ += line_height;
      }
      legend_.push_back(
        {std::move(look), std::move(text), std::move(title), x, y_});
      x += width;
    };
    for (std::size_t i = 0; i < colour_flows_.size(); ++i) {
      const auto& flow = what_.flows()[colour_flows_[i]];
      if (!flow.empty() || what_.flows().size() > 1)
        place(look_of(i), flow.empty() ? "(no flow)" : shortened(flow, 40),
              flow);
    }
    if (auto more = what_.flows().size() - colour_flows_.size(); more > 0)
      place(look_of(named_colours), counted(more, "more flow"), "");
    if (!all_completed())
      place("x", "not completed", "");
    if (legend_.empty())
      y_ = 56;
  }

  // -- places -----------------------------------------------------------------

  double share_of(duration what) const noexcept {
    return static_cast<double>(what.count())
           / static_cast<double>(whole_.count());
  }

  pixels x_of(instant when) const noexcept {
    return left_ + width_ * share_of(when - what_.first());
  }

  pixels width_of(const timeline::record& of) const noexcept {
    return width_ * share_of(end_of(of) - of.started);
  }

  double place_of(instant when) const noexcept {
    return share_of(when - what_.first());
  }

  static std::string label_of(const lane& of) {
    return shortened(of.name, 28);
  }

  // -- drawing ----------------------------------------------------------------

  template <class... Parts>
  void text(std::string_view look, pixels x, pixels y, const Parts&... parts) {
    put_("<text class=\"", look, "\" x=\"", text_of(x), "\" y=\"", text_of(y),
         "\">", parts..., "</text>\n");
  }

  void rectangle(std::string_view look, pixels x, pixels y, pixels width,
                 pixels height, std::string_view title = {}) {
    put_("<rect class=\"", look, "\" x=\"", text_of(x), "\" y=\"", text_of(y),
         "\" width=\"", text_of(width), "\" height=\"", text_of(height), "\"");
    if (title.empty())
      put_("/>\n");
    else
      put_("><title>", xml(title), "</title></rect>\n");
  }

  static std::string look_of(std::size_t colour) {
    return "c" + std::to_string(colour);
  }

  void begin() {
    auto width = text_of(page_width);
    auto height = text_of(y_);
    put_(R"(<svg xmlns="http://www.w3.org/2000/svg" width=")", width,
         R"(" height=")", height, R"(" viewBox="0 0 )", width, " ", height,
         R"(" role="img"><title>)", xml(caption()), "</title>\n", style);
    for (std::size_t i = 0; i < palette.size(); ++i)
      put_(".", look_of(i), "{fill:", palette[i], "}\n");
    put_(hatching);
  }

  std::string caption() const {
    return counted(what_.records().size(), "task") + " on "
           + counted(lanes_.size(), "worker") + " in "
           + text_of(what_.last() - what_.first());
  }

  void heading() {
    text("h", margin, 34, xml(caption()));
    text("s m", margin, 54, xml(summary()));
  }

  /// What has become of the tasks.
  std::string summary() const {
    constexpr std::size_t most_outcomes = 6;
    std::vector<std::uint64_t> counts(what_.outcomes().size());
    auto longest = duration{0};
    for (const auto& each : what_.records()) {
      ++counts[each.outcome];
      longest = std::max(longest, end_of_waiting(each) - each.submitted);
    }
    std::string out;
    for (std::uint32_t i = 0; i < counts.size() && i < most_outcomes; ++i)
      if (!what_.outcomes()[i].empty())
        out += grouped(counts[i]) + " " + shortened(what_.outcomes()[i], 40)
               + ", ";
    if (counts.size() > most_outcomes)
      out += "\u2026, ";
    return out + "longest wait " + text_of(longest);
  }

  void legend() {
    for (const auto& each : legend_) {
      rectangle(each.look, each.x, each.y, 12, 12, each.title);
      text("s", each.x + 18, each.y + 10.5, xml(each.text));
    }
  }

  /// Lines through everything, times below, and above if that is far away.
  void ticks() {
    auto end = what_.last() - what_.first();
    auto step = tick_step(end);
    const auto& in = unit_for(end);
    for (std::int64_t i = 0; i <= end / step; ++i) {
      auto at = step * i;
      auto x = text_of(x_of(what_.first() + at));
      put_(R"(<path class="g" d="M)", x, ",", text_of(areas_), "V",
           text_of(bottom_ + 5), "\"/>\n");
      text("c n", x_of(what_.first() + at), bottom_ + 18, text_of(at, in));
      if (has_ticks_above())
        text("c n", x_of(what_.first() + at), areas_ - 7, text_of(at, in));
    }
  }

  // -- how many wait, how many run --------------------------------------------

  void areas() {
    column_shares waiting{fine};
    column_shares running{fine};
    for (const auto& each : what_.records()) {
      auto colour = colours_[each.flow];
      if (end_of_waiting(each) > each.submitted)
        waiting.add(colour, place_of(each.submitted),
                    place_of(end_of_waiting(each)));
      if (each.started != never)
        running.add(colour, place_of(each.started), place_of(end_of(each)));
    }
    area("waiting", waiting, areas_ + area_height);
    if (rows_ > many_rows)
      area("running", running, areas_ + 2 * area_height + 12);
  }

  void area(std::string_view name, const column_shares& shares, pixels bottom) {
    auto top = round_up(1.0, shares.most());
    text("s e", left_ - 10, bottom - area_height / 2 + 4, name);
    text("m n", left_ + width_ + 6, bottom - area_height + 9,
         grouped(static_cast<std::uint64_t>(top)));
    text("m n", left_ + width_ + 6, bottom, "0");
    put_(R"(<path class="g" d="M)", text_of(left_), ",", text_of(bottom), "h",
         text_of(width_), "\"/>\n");
    draw(shares, bottom, area_height, top, 0.5, "");
  }

  /// What each colour takes, one above the other; `full` is as high as `height`
  /// and what is not nothing at least `least` high.
  void draw(const column_shares& shares, pixels bottom, pixels height,
            double full, pixels least, std::string_view what) {
    std::vector<pixels> below(shares.columns());
    for (std::size_t colour = 0; colour < palette.size(); ++colour) {
      if (shares.count(colour) == 0)
        continue;
      auto heights = shares.of(colour);
      for (std::size_t i = 0; i < heights.size(); ++i)
        heights[i] = height_of(heights[i] * height / full, least,
                               height - below[i]);
      put_("<path class=\"", look_of(colour), "\" d=\"");
      draw(below, heights, bottom);
      put_("\"><title>", xml(title_of(colour)),
           counted(shares.count(colour), "task"), what, "</title></path>\n");
      column_shares::add_to(below, heights);
    }
  }

  /// Of half a pixel each, so that neighbours are often equal.
  static pixels height_of(pixels exact, pixels least, pixels most) noexcept {
    if (exact < 1e-9)
      return 0;
    return std::min(std::max(std::round(exact * 2) / 2, least), most);
  }

  /// One rectangle for each sequence of equal columns.
  void draw(const std::vector<pixels>& below,
            const std::vector<pixels>& heights, pixels bottom) {
    auto column = width_ / static_cast<double>(heights.size());
    for (std::size_t i = 0; i < heights.size();) {
      auto begin = i++;
      while (i < heights.size() && heights[i] == heights[begin]
             && below[i] == below[begin])
        ++i;
      if (heights[begin] <= 0)
        continue;
      auto width = text_of(column * static_cast<double>(i - begin));
      put_("M", text_of(left_ + column * static_cast<double>(begin)), ",",
           text_of(bottom - below[begin]), "h", width, "v-",
           text_of(heights[begin]), "h-", width, "z");
    }
  }

  std::string title_of(std::size_t colour) const {
    if (colour == named_colours)
      return "other flows: ";
    const auto& flow = what_.flows()[colour_flows_[colour]];
    return flow.empty() ? "" : flow + ": ";
  }

  // -- lanes ------------------------------------------------------------------

  /// Marks for those that ended without being started; those that fall together
  /// share one.
  void unstarted_lane() {
    if (unstarted_.empty())
      return;
    auto height = first_lane_ - lanes_top_ - 4;
    text("s e", left_ - 10, lanes_top_ + height / 2 + 4, "not started");
    text("m n", left_ + width_ + 6, lanes_top_ + height / 2 + 4,
         grouped(unstarted_.size()));
    put_("<g class=\"r\">\n");
    for (auto i = unstarted_.begin(); i != unstarted_.end();) {
      auto begin = i;
      auto place = mark_place((*begin)->finished);
      while (i != unstarted_.end() && mark_place((*i)->finished) == place)
        ++i;
      auto more = static_cast<std::uint64_t>(i - begin) - 1;
      auto title = title_of(**begin);
      if (more > 0)
        title += "\nand " + grouped(more) + " more here";
      rectangle(look_of(colours_[(*begin)->flow]),
                x_of((*begin)->finished) - 0.75, lanes_top_ + 1, 1.5,
                height - 2, title);
    }
    put_("</g>\n");
  }

  std::int64_t mark_place(instant when) const noexcept {
    constexpr double places = 500;
    return std::llround(place_of(when) * places);
  }

  void draw(const lane& of, std::size_t number) {
    auto top = first_lane_ + row_ * static_cast<double>(row_number_);
    auto height = row_ * rows_of(of);
    if (number % 2 == 0 && height >= 8)
      rectangle("z", left_, top, width_, height);
    put_("<g class=\"r\">\n");
    auto i = of.begin;
    for (std::uint32_t row = 0; row < rows_of(of); ++row) {
      auto end = i;
      while (end != of.end && (end->row == row || row + 1 == rows_of(of)))
        ++end;
      draw_row(i, end, top + row_ * row + (row_ - bar_) / 2);
      i = end;
    }
    put_("</g>\n");
    row_number_ += rows_of(of);
  }

  void draw_row(runs::const_iterator begin, runs::const_iterator end,
                pixels top) {
    column_shares narrow{rows_ > many_rows ? coarse : fine};
    auto is_narrow = [&](const run& x) {
      return width_of(*x.what) < shortest_bar_;
    };
    for (auto i = begin; i != end; ++i)
      if (is_narrow(*i))
        narrow.add(colours_[i->what->flow], place_of(i->what->started),
                   place_of(end_of(*i->what)));
    draw(narrow, top + bar_, bar_, 1, bar_ >= 10 ? 2 : 1,
         " too short to be drawn one by one");
    for (auto i = begin; i != end; ++i)
      if (!is_narrow(*i))
        draw_bar(*i->what, top);
  }

  void draw_bar(const timeline::record& of, pixels top) {
    auto x = x_of(of.started);
    auto width = std::max(width_of(of) - 0.5, 0.5);
    rectangle(look_of(colours_[of.flow]), x, top, width, bar_, title_of(of));
    if (!is_completed(of))
      rectangle("x", x, top, width, bar_);
    auto label = std::to_string(of.task);
    if (bar_ >= 12 && width >= text_width(label, 10) + 6)
      text(colours_[of.flow] == dark_colour ? "t w" : "t", x + width / 2,
           top + bar_ / 2 + 3.5, label);
  }

  std::string title_of(const timeline::record& of) const {
    const auto& flow = what_.flows()[of.flow];
    auto out = "task " + std::to_string(of.task);
    if (!flow.empty())
      out += " (" + flow + ")";
    out += ": " + what_.outcomes()[of.outcome] + "\nwaited "
           + text_of(end_of_waiting(of) - of.submitted);
    if (of.started != never)
      out += ", ran " + text_of(end_of(of) - of.started);
    return out + "\n" + text_of(of.submitted - what_.first()) + " \u2013 "
           + text_of(end_of(of) - what_.first());
  }

  /// As many as there is room for, and how busy the workers were.
  void lane_names() {
    auto top = first_lane_;
    auto free = top;
    auto stride =
      round_up<std::size_t>(1, static_cast<std::size_t>(std::ceil(12 / row_)));
    for (std::size_t i = 0; i < drawn_lanes_; ++i) {
      const auto& of = lanes_[i];
      auto middle = top + row_ * rows_of(of) / 2;
      if (i % stride == 0 && middle >= free) {
        put_("<g><title>", xml(of.name), ": ",
             counted(static_cast<std::uint64_t>(of.end - of.begin), "run"),
             "</title>");
        text("e", left_ - 10, middle + 4, xml(label_of(of)));
        text("m n", left_ + width_ + 6, middle + 4, percent(busy_share(of)));
        put_("</g>\n");
        free = middle + 12;
      }
      top += row_ * rows_of(of);
    }
  }

  double busy_share(const lane& of) const {
    auto busy = duration{0};
    for (auto i = of.begin; i != of.end; ++i)
      busy += end_of(*i->what) - i->what->started;
    return share_of(busy) / of.rows;
  }

  void left_out() {
    if (drawn_lanes_ == lanes_.size())
      return;
    auto more = runs_.end() - lanes_[drawn_lanes_].begin;
    text("s m", left_, bottom_ + 40,
         "Not drawn: ", counted(lanes_.size() - drawn_lanes_, "more worker"),
         ", which ran ", counted(static_cast<std::uint64_t>(more), "task"),
         ".");
  }

  printer put_;
  const timeline& what_;
  duration whole_;
  runs runs_;
  std::vector<lane> lanes_;
  std::size_t drawn_lanes_ = 0;
  std::size_t rows_ = 0;
  std::size_t row_number_ = 0;
  std::vector<const timeline::record*> unstarted_;
  /// Of each flow, and the flow of each but the last.
  std::vector<std::size_t> colours_;
  std::vector<std::uint32_t> colour_flows_;
  std::vector<legend_entry> legend_;

  pixels left_ = 108;
  pixels width_ = 0;
  pixels row_ = 0;
  pixels bar_ = 0;
  pixels shortest_bar_ = 2;
  pixels areas_ = 0;
  pixels lanes_top_ = 0;
  pixels first_lane_ = 0;
  pixels bottom_ = 0;
  pixels y_ = 0;
};

} // namespace

void write_gantt(std::ostream& out, const timeline& what) {
  gantt{out, what}.write();
}

void write_trace(std::ostream& out, const timeline& what) {
  trace{out, what}.write();
}

} // namespace libpool

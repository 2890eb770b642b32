#include "libpool/nodes/protocol/submission_claims.hpp"
#include "libpool/nodes/protocol/nodes_of_front.hpp"

#include "state_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

// All runs of one submission, two fronts that take it, two nodes that begin it,
// and a store of claims, of its result, and of the fronts' nodes. The queue
// forgets its deliveries: it may give the submission to any front at any time.
// Answers of the store can be lost, fronts can end or be killed, and nodes can
// join the other front, and be killed.

namespace laws_submission_claims_tests {

namespace {

using libpool::claim_step;
using libpool::front_record;
using libpool::submission_claims;
using libpool::work_claim;

enum class fault {
  none,
  overwrites,
  names_fronts,
  forgets_unused,
  reads_nothing,
  never_closes,
  closes_anew,
  believes_sessions,
  closes_blindly,
  gives_before_storing,
  claims_before_storing,
  forgets_nodes_early,
  searches_once,
  never_rescues
};

struct claims_setting {
  unsigned retries = 0;
  int gives = 2; // while a front has the submission
  int losses = 1;
  int kills = 1;
  int returns = 1;
  std::size_t nodes = 1;
  int joins = 3;
  int deaths = 0; // of nodes
  fault with = fault::none;
};

class claims_world;

/// An action, and the front and the node that it is about.
struct claims_step {
  void (claims_world::*act)(const claims_step&) = nullptr;
  const char* words = "";
  bool must_come = false;
  std::size_t front = 0;
  std::size_t node = 0;
};

struct stored_record {
  front_record record;
  int version = 0;
};

/// A front that has the submission.
struct taking {
  submission_claims claims;
  bool is_sent = false;
  bool counts_as_begun = false; // for the earlier takings
  /// Records of earlier fronts as the front has read them.
  std::optional<std::map<std::uint64_t, stored_record>> looked;
  std::set<std::uint64_t> present; // nodes that were seen since then
  bool is_adopted = false;         // by a node that has begun it

  std::uint64_t number() const {
    return claims.takings().front().number;
  }

  bool has_earlier() const {
    return claims.attempt() > 1 && !counts_as_begun;
  }
};

/// A front, which may have the submission.
struct front {
  std::uint64_t run = 0;
  libpool::nodes_of_front nodes;
  int version = 0; // of its record
  std::optional<taking> work;
};

struct node {
  std::optional<std::uint64_t> session; // run of its front
  std::optional<std::uint64_t> former;  // session
  bool gets_tasks = false;
  std::optional<std::uint64_t> received;
  std::set<std::uint64_t> begun;
  std::uint64_t run = 0;
};

class claims_world {
public:
  explicit claims_world(const claims_setting& how) : how_(how) {
    for (auto& each : fronts_)
      each.run = ++last_run_;
    nodes_.resize(how.nodes);
    for (auto& each : nodes_)
      each.run = ++last_run_;
  }

  void list_steps(std::vector<claims_step>& to) const {
    to.clear();
    for (std::size_t i = 0; i < fronts_.size(); ++i) {
      list_steps_of(i, {to, i, 0});
      for (std::size_t j = 0; j < nodes_.size(); ++j)
        list_steps_with({to, i, j});
    }
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const lister list{to, 0, j};
      list.must(nodes_[j].received.has_value(), &claims_world::begin, "begins");
      list.may(how_.deaths > 0, &claims_world::die, "dies");
    }
  }

  bool take(const claims_step& step) {
    (this->*step.act)(step);
    return true;
  }

  static bool must_come(const claims_step& step) {
    return step.must_come;
  }

  static std::string words_for(const claims_step& step) {
    return "front " + std::to_string(step.front) + ", node "
           + std::to_string(step.node) + ": " + step.words;
  }

  std::string wrong() const {
    if (begun_ > 1 + how_.retries)
      return "begun too often";
    if (fails_unbegun_)
      return "fails although no node has begun it";
    return misses_one_ ? "the node that has begun it is not recognised" : "";
  }

  std::string wrong_at_the_end() const {
    if (!has_result_ && is_any_front_of_use())
      return "no result";
    return is_told_lost_ && !was_killed_ && !has_node_died_ && !has_lost_answer_
               && gives_ == 0
             ? "lost although no front was killed"
             : "";
  }

  void encode(std::string& to) const {
    to.clear();
    auto add = [&to](auto... all) { ((to += std::to_string(all) + ' '), ...); };
    for (auto each : fronts_) {
      add(each.run, each.version, each.nodes.is_stored(),
          each.work.has_value());
      for (std::uint64_t i = 0; i <= takings_ + 1; ++i)
        for (auto listed : each.nodes.nodes(i))
          add(i, listed);
      if (!each.work)
        continue;
      const auto& work = *each.work;
      add(work.claims.attempt(), work.claims.claim(),
          static_cast<int>(work.claims.next()), work.is_sent,
          work.counts_as_begun, work.looked.has_value());
      if (work.looked)
        for (const auto& [run, seen] : *work.looked)
          add(run, seen.version);
      for (auto run : work.present)
        add(run);
      add(work.is_adopted);
      add_all(to, work.claims.content());
    }
    for (const auto& each : nodes_) {
      add(each.session.value_or(0), each.gets_tasks, each.received.value_or(0),
          each.run);
      if (how_.with == fault::believes_sessions)
        add(each.former.value_or(0));
      for (auto begun : each.begun)
        add(begun);
      to += '|';
    }
    for (const auto& [number, claim] : store_) {
      add(number);
      add_all(to, claim);
    }
    for (const auto& [run, each] : records_) {
      add(run, each.version, each.record.is_closed);
      for (auto listed : each.record.nodes)
        add(listed);
    }
    for (auto number : begun_takings_)
      add(number);
    for (auto [number, claim] : claims_of_takings_)
      add(number, claim);
    add(misses_one_, fails_unbegun_);
    add(how_.gives, how_.losses, how_.kills, how_.returns, how_.joins,
        how_.deaths, gives_, unused_, takings_, begun_, has_result_,
        is_settled_, is_told_lost_, was_killed_, has_node_died_,
        has_lost_answer_, last_run_);
  }

private:
  static void add_all(std::string& to, const work_claim& claim) {
    to += std::to_string(claim.unused) + ':';
    for (const auto& each : claim.takings)
      to += std::to_string(each.number) + '/' + std::to_string(each.front)
            + ' ';
    to += '|';
  }

  /// Adds steps of a front and a node to a list.
  struct lister {
    using action = decltype(claims_step::act);

    void must(bool is_possible, action act, const char* words) const {
      may(is_possible, act, words);
      if (is_possible)
        to.back().must_come = true;
    }

    void may(bool is_possible, action act, const char* words) const {
      if (is_possible)
        to.push_back({act, words, false, front, node});
    }

    std::vector<claims_step>& to;
    std::size_t front;
    std::size_t node;
  };

  // -- possible steps ---------------------------------------------------------

  void list_steps_of(std::size_t which, const lister& list) const {
    using w = claims_world;
    const auto& at = fronts_[which];
    list.must(!at.work && !is_settled_ && (is_free() || how_.gives > 0)
                && (which == 0 || takings_ > 0), // the fronts are alike
              &w::give, "is given the submission");
    list.must(!at.nodes.is_stored(), &w::store, "stores its nodes");
    list.may(how_.kills > 0, &w::kill, "is killed");
    if (!at.work)
      return;
    const auto& work = *at.work;
    auto next = work.claims.next();
    auto may_claim = next == claim_step::claim && is_stored(at);
    auto holds = has_holder(at);
    list.must(may_claim, &w::claim, "claims it");
    list.may(may_claim && how_.losses > 0, &w::claim_unheard,
             "claims it, and hears nothing");
    list.must(next == claim_step::search, &w::search, "searches its result");
    list.must(next == claim_step::read, &w::read, "reads another claim");
    list.must(next == claim_step::none && work.has_earlier() && !work.looked
                && !holds,
              &w::look, "looks at the nodes of earlier fronts");
    list.must(work.looked && !holds && !work.is_adopted && have_changed(work),
              &w::close, "closes earlier fronts");
    list.must(work.looked && !holds && (work.is_adopted || is_node_missing(at)),
              &w::give_up, "gives it up");
    list.must(holds, &w::end, "ends it");
    list.may(work.claims.is_claimed() && !work.is_sent && how_.returns > 0,
             &w::put_back, "puts it back");
    list.may(next != claim_step::none && how_.returns > 0, &w::drop,
             "drops it");
  }

  void list_steps_with(const lister& list) const {
    const auto& at = fronts_[list.front];
    const auto& with = nodes_[list.node];
    list.may(how_.joins > 0 && with.session != at.run, &claims_world::join,
             "is joined by the node");
    if (!at.work)
      return;
    const auto& work = *at.work;
    auto is_heard = with.session == at.run
                    || (how_.with == fault::believes_sessions
                        && with.former == at.run);
    list.must(
      work.claims.is_claimed() && !work.is_sent && !work.has_earlier()
        && with.session == at.run
        && (with.gets_tasks || how_.with == fault::gives_before_storing),
      &claims_world::send, "sends it to the node");
    list.must(work.looked && is_heard && work.present.count(with.run) == 0,
              &claims_world::confirm, "hears of the node");
  }

  bool is_stored(const front& at) const {
    return at.nodes.is_stored() || how_.with == fault::claims_before_storing;
  }

  bool is_free() const {
    return !fronts_[0].work && !fronts_[1].work;
  }

  /// Whether a node of the front has begun the submission for a taking that the
  /// front knows.
  bool has_holder(const front& at) const {
    const auto& all = at.work->claims.takings();
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
      return each.session == at.run
             && std::any_of(all.begin(), all.end(), [&](const auto& taking) {
                  return each.begun.count(taking.number) > 0;
                });
    });
  }

  /// Whether a front can end the submission: one that has not sent it, and has
  /// a node or gives it up.
  bool is_any_front_of_use() const {
    return std::any_of(fronts_.begin(), fronts_.end(), [&](const front& at) {
      return std::any_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
        return at.work && each.session == at.run && each.gets_tasks
               && !at.work->is_sent;
      });
    });
  }

  // -- fronts -----------------------------------------------------------------

  void give(const claims_step& step) {
    auto& at = fronts_[step.front];
    if (!is_free()) {
      --how_.gives;
      ++gives_;
    }
    auto number = how_.with == fault::names_fronts ? at.run : ++takings_;
    at.work.emplace(
      taking{submission_claims{{number, at.run}, unused_, false, how_.retries},
             false,
             false,
             std::nullopt,
             {},
             false});
  }

  /// Stores the nodes of the front. A front whose record is closed ends.
  void store(const claims_step& step) {
    auto& at = fronts_[step.front];
    auto& place = records_[at.run];
    if (place.version != at.version)
      return renew(at);
    place.version = ++at.version;
    auto oldest = at.work ? at.work->number() : takings_ + 1;
    place.record.nodes = at.nodes.nodes(oldest);
    at.nodes.stored(at.nodes.version());
    for (auto& each : nodes_)
      each.gets_tasks = each.gets_tasks || each.session == at.run;
  }

  void claim(const claims_step& step) {
    auto& work = *fronts_[step.front].work;
    work.claims.claimed(work.claims.claim(), store_claim(work));
  }

  void claim_unheard(const claims_step& step) {
    --how_.losses;
    has_lost_answer_ = true;
    store_claim(*fronts_[step.front].work);
  }

  void search(const claims_step& step) {
    auto& work = fronts_[step.front].work;
    if (has_result_)
      settle(work);
    else
      work->claims.not_found();
  }

  void read(const claims_step& step) {
    auto& claims = fronts_[step.front].work->claims;
    claims.was_read(how_.with == fault::reads_nothing
                      ? work_claim{}
                      : claim_in_store(claims.claim()));
  }

  void send(const claims_step& step) {
    auto& work = *fronts_[step.front].work;
    note_known(work);
    work.is_sent = true;
    nodes_[step.node].received = work.number();
    claims_of_takings_[work.number()] = work.claims.claim();
  }

  void confirm(const claims_step& step) {
    auto& at = fronts_[step.front];
    at.work->present.insert(nodes_[step.node].run);
    at.work->is_adopted = at.work->is_adopted || has_holder(at);
  }

  void give_up(const claims_step& step) {
    fronts_[step.front].work->looked.reset();
    count_as_begun(fronts_[step.front]);
  }

  void end(const claims_step& step) {
    settle(fronts_[step.front].work);
  }

  void put_back(const claims_step& step) {
    --how_.returns;
    auto& work = fronts_[step.front].work;
    if (how_.with != fault::forgets_unused)
      unused_ = work->claims.unused();
    work.reset();
  }

  void drop(const claims_step& step) {
    --how_.returns;
    fronts_[step.front].work.reset();
  }

  void kill(const claims_step& step) {
    --how_.kills;
    renew(fronts_[step.front]);
  }

  /// Ends a front, in whose place a new one begins.
  void renew(front& at) {
    was_killed_ = was_killed_ || at.work;
    at = {};
    at.run = ++last_run_;
  }

  /// Returns whether the store has the claim from this front.
  bool store_claim(const taking& of) {
    auto number = of.claims.claim();
    if (how_.with == fault::overwrites)
      store_[number] = of.claims.content();
    auto place = store_.try_emplace(number, of.claims.content()).first;
    return place->second.takings.front().number == of.number();
  }

  work_claim claim_in_store(std::uint64_t number) const {
    auto found = store_.find(number);
    return found != store_.end() ? found->second : work_claim{};
  }

  /// Reads the records of earlier fronts.
  void look(const claims_step& step) {
    auto& at = fronts_[step.front];
    std::map<std::uint64_t, stored_record> seen;
    const auto& all = at.work->claims.takings();
    auto is_known = all.size() > 1 && how_.with != fault::never_rescues;
    for (std::size_t i = 1; i < all.size(); ++i) {
      auto found = records_.find(all[i].front);
      is_known = is_known && all[i].front != at.run && found != records_.end();
      if (is_known)
        seen.insert(*found);
    }
    at.work->present.clear();
    if (is_known)
      at.work->looked = seen;
    else
      count_as_begun(at);
  }

  /// Whether the front has seen all nodes of earlier fronts since it has
  /// looked.
  bool have_changed(const taking& work) const {
    const std::vector<std::uint64_t> present{work.present.begin(),
                                             work.present.end()};
    return how_.with == fault::closes_blindly
           || std::all_of(
             work.looked->begin(), work.looked->end(), [&](const auto& each) {
               return have_all_changed(each.second.record, present);
             });
  }

  /// Whether a node of an earlier front does not serve this one.
  bool is_node_missing(const front& at) const {
    std::vector<std::uint64_t> serving;
    for (const auto& each : nodes_)
      if (each.session == at.run)
        serving.push_back(each.run);
    return std::any_of(at.work->looked->begin(), at.work->looked->end(),
                       [&](const auto& each) {
                         return !have_all_changed(each.second.record, serving);
                       });
  }

  bool are_all_here(const front& at) const {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const node& each) {
      return each.session == at.run;
    });
  }

  void close(const claims_step& step) {
    auto& at = fronts_[step.front];
    auto looked = *std::exchange(at.work->looked, std::nullopt);
    for (const auto& [run, seen] : looked)
      if (how_.with != fault::never_closes && !close(run, seen.version))
        return; // looks again
    if (has_result_ && how_.with != fault::searches_once)
      return settle(at.work); // and nodes have forgotten it
    at.work->claims.never_began();
  }

  bool close(std::uint64_t run, int version) {
    auto& place = records_.at(run);
    if (place.version != version && how_.with != fault::closes_anew)
      return false;
    if (!std::exchange(place.record.is_closed, true))
      ++place.version;
    return true;
  }

  void count_as_begun(front& at) {
    note_known(*at.work);
    at.work->counts_as_begun = true;
    if (at.work->claims.is_claimed())
      return;
    const auto& all = at.work->claims.takings();
    auto is_own =
      std::any_of(all.begin() + 1, all.end(),
                  [&](const auto& each) { return each.front == at.run; });
    fails_unbegun_ = fails_unbegun_
                     || (begun_ == 0 && !is_own && !has_node_died_
                         && are_all_here(at));
    is_told_lost_ = is_told_lost_ || !has_result_;
    settle(at.work);
  }

  /// Stores a result unless there is one. The queue may hear of it later.
  void settle(std::optional<taking>& by) {
    is_settled_ = std::exchange(has_result_, true);
    by.reset();
  }

  /// Notes whether the front can ask the nodes that have begun the submission.
  void note_known(const taking& by) {
    const auto& all = by.claims.takings();
    for (auto number : begun_takings_)
      misses_one_ =
        misses_one_
        || (claims_of_takings_.at(number) < by.claims.claim()
            && std::none_of(all.begin(), all.end(), [&](const auto& each) {
                 return each.number == number;
               }));
  }

  // -- nodes ------------------------------------------------------------------

  void begin(const claims_step& step) {
    auto& at = nodes_[step.node];
    at.begun.insert(*at.received);
    begun_takings_.insert(*std::exchange(at.received, std::nullopt));
    ++begun_;
  }

  void die(const claims_step& step) {
    --how_.deaths;
    auto& at = nodes_[step.node];
    leave(at);
    at = {};
    at.run = ++last_run_;
    has_node_died_ = true;
  }

  void join(const claims_step& step) {
    --how_.joins;
    auto& at = fronts_[step.front];
    auto& with = nodes_[step.node];
    leave(with);
    with.received.reset();
    with.former = std::exchange(with.session, at.run);
    at.nodes.joined(with.run);
    with.gets_tasks = !at.work;
  }

  void leave(const node& with) {
    for (auto& each : fronts_)
      if (with.session == each.run)
        each.nodes.left(with.run,
                        how_.with == fault::forgets_nodes_early ? 0 : takings_);
  }

  claims_setting how_;
  std::array<front, 2> fronts_;
  std::vector<node> nodes_;
  std::map<std::uint64_t, work_claim> store_;
  std::map<std::uint64_t, stored_record> records_; // by run of the front
  std::set<std::uint64_t> begun_takings_;
  std::map<std::uint64_t, std::uint64_t> claims_of_takings_; // that were sent
  bool misses_one_ = false;
  bool fails_unbegun_ = false;
  std::uint64_t unused_ = 0;
  int gives_ = 0; // while a front had the submission
  std::uint64_t takings_ = 0;
  std::uint64_t last_run_ = 0;
  unsigned begun_ = 0;
  bool has_result_ = false;
  bool is_settled_ = false; // the queue has heard of the result
  bool is_told_lost_ = false;
  bool was_killed_ = false;
  bool has_node_died_ = false;
  bool has_lost_answer_ = false;
};

using claims_search =
  test::state_search<claims_world, claims_setting, claims_step>;

std::string fault_of(const claims_setting& how) {
  return claims_search{how}.run().wrong;
}

} // namespace

TEST_CASE("a submission begins at most 1 + retries times, whatever the queue "
          "knows of deliveries, gets a result, and does not fail if no node "
          "has begun it and all nodes serve") {
  // retries, gives, losses, kills, returns, nodes, joins, deaths
  for (const auto& how : std::vector<claims_setting>{
         {0, 2, 1, 1, 1, 1, 0, 0},
         {1, 2, 1, 1, 1, 1, 0, 0},
         {2, 2, 1, 1, 1, 1, 0, 0},
         {0, 1, 0, 1, 0, 1, 2, 0},
         {0, 1, 1, 0, 1, 1, 2, 0},
         {0, 1, 0, 0, 0, 1, 3, 1},
         {1, 1, 0, 0, 0, 2, 3, 0},
       }) {
    auto all = claims_search{how}.run();
    CHECK_MESSAGE(all.wrong.empty(), all.wrong, "\n", all.trace);
    CHECK(all.states > 1000);
    MESSAGE(all.states, " states");
  }
}

TEST_CASE("claims in equal states go on alike") {
  CHECK(claims_search{claims_setting{}}.difference(20'000).empty());
}

TEST_CASE("deliberate mistakes with claims are found") {
  const claims_setting simple{0, 1, 0, 0, 0, 1, 3, 0};
  const claims_setting with_deaths{0, 1, 0, 0, 0, 1, 3, 1};
  const claims_setting with_returns{0, 2, 1, 1, 1, 1, 1, 0};
  for (auto [mistake, how] : std::vector{
         std::pair{fault::overwrites, simple},
         {fault::names_fronts, with_returns},
         {fault::forgets_unused, with_returns},
         {fault::reads_nothing, simple},
         {fault::never_closes, simple},
         {fault::closes_anew, simple},
         {fault::believes_sessions, simple},
         {fault::closes_blindly, simple},
         {fault::gives_before_storing, simple},
         {fault::claims_before_storing, simple},
         {fault::forgets_nodes_early, with_deaths},
         {fault::searches_once, with_deaths},
         {fault::never_rescues, simple},
       }) {
    how.with = mistake;
    INFO(static_cast<int>(mistake));
    CHECK(!fault_of(how).empty());
  }
}

TEST_CASE("a submission whose claim may be gone counts as begun") {
  submission_claims first{{1, 1}, 0, true, 0};
  CHECK(first.attempt() == 2);
  CHECK(first.next() == claim_step::search);
  first.not_found();
  first.was_read({});
  CHECK(first.next() == claim_step::none);
  submission_claims with_retry{{1, 1}, 0, true, 1};
  CHECK(with_retry.attempt() == 2);
  CHECK(with_retry.claim() == 2);
  CHECK(with_retry.next() == claim_step::claim);
}

TEST_CASE("a submission has a claim of its front if the store has accepted it, "
          "and none for an attempt beyond the last one") {
  submission_claims mine{{1, 1}, 0, false, 0};
  CHECK(!mine.is_claimed());
  mine.claimed(1, true);
  CHECK(mine.is_claimed());
  submission_claims beyond{{1, 1}, 0, true, 0};
  beyond.not_found();
  beyond.was_read({});
  CHECK(beyond.next() == claim_step::none);
  CHECK(!beyond.is_claimed());
}

} // namespace laws_submission_claims_tests

#include "libpool/nodes/protocol/submission_claims.hpp"
#include "libpool/nodes/protocol/nodes_of_front.hpp"

#include "support/state_search.hpp"

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

struct claims_step {
  enum class kind {
    give,
    store,
    claim,
    claim_unheard,
    search,
    read,
    send,
    look,
    confirm,
    close,
    give_up,
    end,
    put_back,
    drop,
    kill,
    join,
    begin,
    die
  };
  kind is{};
  std::size_t front = 0;
  std::size_t node = 0;
};

using kind = claims_step::kind;

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
      for (auto is :
           {kind::give, kind::store, kind::claim, kind::claim_unheard,
            kind::search, kind::read, kind::look, kind::close, kind::give_up,
            kind::end, kind::put_back, kind::drop, kind::kill})
        if (may({is, i}))
          to.push_back({is, i});
      for (std::size_t j = 0; j < nodes_.size(); ++j)
        for (auto is : {kind::send, kind::join, kind::confirm})
          if (may_with_node(is, fronts_[i], nodes_[j]))
            to.push_back({is, i, j});
    }
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      if (nodes_[j].received)
        to.push_back({kind::begin, 0, j});
      if (how_.deaths > 0)
        to.push_back({kind::die, 0, j});
    }
  }

  bool take(const claims_step& by) {
    auto& at = fronts_[by.front];
    auto& work = at.work;
    auto& with = nodes_.at(by.node);
    switch (by.is) {
      case kind::give:
        give(at);
        break;
      case kind::store:
        store(at);
        break;
      case kind::claim:
        work->claims.claimed(work->claims.claim(), store_claim(*work));
        break;
      case kind::claim_unheard:
        --how_.losses;
        has_lost_answer_ = true;
        store_claim(*work);
        break;
      case kind::search:
        if (has_result_)
          settle(work);
        else
          work->claims.not_found();
        break;
      case kind::read:
        work->claims.was_read(how_.with == fault::reads_nothing
                                ? work_claim{}
                                : claim_in_store(work->claims.claim()));
        break;
      case kind::send:
        note_known(*work);
        work->is_sent = true;
        with.received = work->number();
        claims_of_takings_[work->number()] = work->claims.claim();
        break;
      case kind::look:
        look(at);
        break;
      case kind::confirm:
        work->present.insert(with.run);
        work->is_adopted = work->is_adopted || has_holder(at);
        break;
      case kind::give_up:
        work->looked.reset();
        count_as_begun(at);
        break;
      case kind::close:
        close(at);
        break;
      case kind::end:
        settle(work);
        break;
      case kind::put_back:
        --how_.returns;
        go_back(work);
        break;
      case kind::drop:
        --how_.returns;
        work.reset();
        break;
      case kind::kill:
        --how_.kills;
        renew(at);
        break;
      case kind::join:
        --how_.joins;
        join(at, with);
        break;
      case kind::begin:
        with.begun.insert(*with.received);
        begun_takings_.insert(*std::exchange(with.received, std::nullopt));
        ++begun_;
        break;
      case kind::die:
        --how_.deaths;
        leave(with);
        with = {};
        with.run = ++last_run_;
        has_node_died_ = true;
        break;
    }
    return true;
  }

  static bool must_come(const claims_step& by) {
    return by.is != kind::kill && by.is != kind::claim_unheard
           && by.is != kind::put_back && by.is != kind::drop
           && by.is != kind::join && by.is != kind::die;
  }

  static std::string words_for(const claims_step& by) {
    static constexpr std::array words{"is given the submission",
                                      "stores its nodes",
                                      "claims it",
                                      "claims it, and hears nothing",
                                      "searches for its result",
                                      "reads the claim of another front",
                                      "sends it to",
                                      "looks at the nodes of earlier fronts",
                                      "hears of",
                                      "closes earlier fronts",
                                      "gives it up",
                                      "ends it",
                                      "puts it back",
                                      "drops it",
                                      "is killed",
                                      "is joined by",
                                      "has its task begun by",
                                      "mourns"};
    return "front " + std::to_string(by.front) + " "
           + words[static_cast<std::size_t>(by.is)] + " node "
           + std::to_string(by.node);
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

  // -- possible steps ---------------------------------------------------------

  bool may(const claims_step& by) const {
    const auto& at = fronts_[by.front];
    const auto& work = at.work;
    if (by.is == kind::give)
      return !work && !is_settled_ && (is_free() || how_.gives > 0)
             && (by.front == 0 || takings_ > 0); // the fronts are alike
    if (by.is == kind::store)
      return !at.nodes.is_stored();
    if (by.is == kind::kill)
      return how_.kills > 0;
    if (!work)
      return false;
    auto next = work->claims.next();
    auto may_claim = next == claim_step::claim && is_stored(at);
    switch (by.is) {
      case kind::claim:
        return may_claim;
      case kind::claim_unheard:
        return may_claim && how_.losses > 0;
      case kind::search:
        return next == claim_step::search;
      case kind::read:
        return next == claim_step::read;
      case kind::look:
        return next == claim_step::none && work->has_earlier() && !work->looked
               && !has_holder(at);
      case kind::close:
        return work->looked && !has_holder(at) && !work->is_adopted
               && have_changed(*work);
      case kind::give_up:
        return work->looked && !has_holder(at)
               && (work->is_adopted || is_node_missing(at));
      case kind::end:
        return has_holder(at);
      case kind::put_back:
        return work->claims.is_claimed() && !work->is_sent && how_.returns > 0;
      default: // drop
        return next != claim_step::none && how_.returns > 0;
    }
  }

  bool may_with_node(kind is, const front& at, const node& with) const {
    if (is == kind::join)
      return how_.joins > 0 && with.session != at.run;
    if (is == kind::confirm)
      return at.work && at.work->looked
             && (with.session == at.run
                 || (how_.with == fault::believes_sessions
                     && with.former == at.run))
             && at.work->present.count(with.run) == 0;
    return at.work && at.work->claims.is_claimed() && !at.work->is_sent
           && !at.work->has_earlier() && with.session == at.run
           && (with.gets_tasks || how_.with == fault::gives_before_storing);
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

  void give(front& at) {
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
  void store(front& at) {
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

  void go_back(std::optional<taking>& work) {
    if (how_.with != fault::forgets_unused)
      unused_ = work->claims.unused();
    work.reset();
  }

  /// Reads the records of earlier fronts.
  void look(front& at) {
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

  void close(front& at) {
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

  void join(front& at, node& with) {
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

/// The policies of managed pools that scatter and gather.

#include "libpool/actors/gathering.hpp"

#include "libpool/actors/actor_pool.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace libpool {

namespace {

/// Keeps the first result.
class first_joiner final : public joiner {
public:
  std::unique_ptr<joiner> clone() const override {
    return std::make_unique<first_joiner>(*this);
  }

  void join(caf::message& result) override {
    if (!std::exchange(came_, true))
      first_ = std::move(result);
  }

  caf::message joined() override {
    return std::move(first_);
  }

private:
  bool came_ = false;
  caf::message first_;
};

void require(bool holds, const std::string& who, const std::string& bound) {
  if (!holds)
    throw std::invalid_argument("libpool: " + who + ": " + bound);
}

void check(const hedge_delay& after, double budget) {
  require(budget > 0 && budget <= 100, "hedged",
          "budget must be above 0 and at most 100 percent, is "
            + std::to_string(budget));
  if (const auto* rank = std::get_if<percentile>(&after))
    require(rank->percent > 0 && rank->percent < 100, "hedged",
            "the percentile must be above 0 and below 100, is "
              + std::to_string(rank->percent));
  else
    require(std::get<duration>(after).count() > 0, "hedged",
            "the delay must be more than 0 ns");
}

} // namespace

std::unique_ptr<joiner> make_first_joiner() {
  return std::make_unique<first_joiner>();
}

void check(const gather_options& options) {
  require(!options.timeout || options.timeout->count() > 0, "gather_options",
          "timeout must be more than 0");
}

policy actor_pool::gathered(const char* name, gathering how,
                            const policy& over) {
  check(how.options);
  require(over.managed() != nullptr, name, "needs a managed policy");
  auto result = *over.managed();
  auto& options = result.options;
  if (how.how != gathering::scatter::parts) {
    require(options.may_run_on == nullptr, name,
            "chooses workers itself: "
            "may_run_on means nothing to it");
    require(options.home_of == nullptr && options.key_of == nullptr, name,
            "chooses workers itself: home_of and key_of mean nothing to it");
  }
  if (how.hedge_after) // or a worker that answers later were never hedged
    options.busy_until = busy_until::answer;
  require(result.gathers == nullptr, name,
          "the policy below it gathers already: use a pool of pools");
  result.gathers = std::make_shared<const gathering>(std::move(how));
  return policy{std::move(result)};
}

policy actor_pool::first_success(std::size_t n, const policy& over) {
  require(n > 0, "first_success", "n must be at least 1");
  gathering how;
  how.how = gathering::scatter::some;
  how.asked = n;
  how.needed = 1;
  how.join = make_first_joiner();
  return gathered("first_success", std::move(how), over);
}

policy actor_pool::hedged(hedge_delay after, double budget,
                          const policy& over) {
  check(after, budget);
  gathering how;
  how.how = gathering::scatter::some;
  how.needed = 1;
  how.join = make_first_joiner();
  how.hedge_after = after;
  how.hedge_budget = budget;
  return gathered("hedged", std::move(how), over);
}

policy actor_pool::quorum(std::size_t n, std::size_t k, const policy& over) {
  return make_quorum(n, k, make_first_joiner(), {}, over);
}

policy actor_pool::make_quorum(std::size_t n, std::size_t k,
                               std::unique_ptr<joiner> join,
                               const gather_options& options,
                               const policy& over) {
  require(k > 0 && k <= n, "quorum",
          "k must be from 1 to n, is " + std::to_string(k) + " of "
            + std::to_string(n));
  require(!options.join_what_came && !options.ordered, "quorum",
          "join_what_came and ordered mean nothing to it");
  gathering how;
  how.how = gathering::scatter::some;
  how.asked = n;
  how.needed = k;
  how.stops_rest = false; // a replica that is late must not miss anything
  how.join = std::move(join);
  how.options = options;
  return gathered("quorum", std::move(how), over);
}

} // namespace libpool

/// The page of a live view in a browser: its numbers are those of `stats`, and
/// its first sentence is what is the matter.

#include "browser.hpp"
#include "served.hpp"

#include <string>

using libpool::live_view;
using test::browser;
using test::comes_true;
using test::served_world;
using test::until_opened;

namespace {

/// As the page writes it: with a narrow space after each thousand.
std::string grouped(std::uint64_t number) {
  auto result = std::to_string(number);
  for (auto at = result.size(); at > 3;)
    result.insert(at -= 3, "\u202F");
  return result;
}

/// The page once it shows what its server knows now.
std::string page_of(const live_view& view, const std::string& name = {}) {
  browser with;
  auto result = with.page_at(view.url() + "?once" + name);
  REQUIRE(result.find("data-ready=\"yes\"") != std::string::npos);
  return result;
}

std::string figure(const std::string& page, const std::string& name) {
  return browser::text_of(page, "figure-" + name);
}

/// Waits until the view has seen that so many tasks wait.
void wait_for_view(served_world& world, std::uint64_t waiting) {
  REQUIRE(
    comes_true([&] { return world.client.pool()["waiting"] == waiting; }));
}

} // namespace

TEST_CASE("the page shows the figures of a running pool") {
  libpool::managed_options how;
  how.capacity = 20;
  served_world world{4, {}, how};
  world.send("a", {}, 1234);
  CHECK(comes_true([&] {
    auto tasks = world.stats().tasks;
    return tasks.completed + tasks.refused == 1234 && tasks.open() == 0;
  }));
  world.block(4);
  world.send("b", until_opened, 5);
  world.send("c", until_opened, 2);
  wait_for_view(world, 7);
  auto stats = world.stats();
  auto page = page_of(world.view);
  CHECK(figure(page, "workers") == "4 0 idle, 4 busy");
  // Marked if the page says that a flow floods the pool.
  CHECK(figure(page, "waiting").find("7 of 20") != std::string::npos);
  CHECK(figure(page, "running") == "4");
  CHECK(
    figure(page, "completed").find(grouped(stats.tasks.completed) + " in total")
    != std::string::npos);
  CHECK(figure(page, "refused").find(grouped(stats.tasks.refused) + " in total")
        != std::string::npos);
  CHECK(browser::text_of(page, "policy") == "fair queuing");
  auto workers = browser::rows_of(page, "workers");
  REQUIRE(workers.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(workers[i][0] == std::to_string(stats.members[i].number));
    CHECK(workers[i][1] == "busy");
    CHECK(workers[i].back() == stats.members[i].name);
    CHECK(workers[i][5] == grouped(stats.members[i].completed));
  }
  auto flows = browser::rows_of(page, "flows");
  REQUIRE(flows.size() == 4);
  CHECK(flows[0][0] == "b");
  CHECK(flows[0][1] == "5");
  CHECK(flows[1][0] == "c");
  CHECK(flows[1][1] == "2");
}

TEST_CASE("the page shows the stage that holds up a pipeline") {
  const test::served_line world{"<b>parse</b>"};
  auto page = page_of(world.view);
  for (const std::string part :
       {"<span>Stage &lt;b&gt;parse&lt;/b&gt; is full, 5 items wait to enter "
        "the pipeline.</span>",
        "<b>&lt;b&gt;parse&lt;/b&gt;</b> 2/2 <em>full, slowest</em>",
        "<b>count</b> 0/2 <em></em>",
        "4 in the pipeline, 5 wait to enter it; accepted 4, completed 0"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE(
  "the page shows 100 of 1000 workers, and the total number of workers") {
  served_world world{1000, {}, {}, false};
  world.send("a", {}, 2000);
  CHECK(comes_true([&] { return world.stats().tasks.completed == 2000; }));
  REQUIRE(comes_true([&] { return world.client.pool()["completed"] == 2000; }));
  auto stats = world.stats();
  auto page = page_of(world.view);
  CHECK(figure(page, "workers") == "1\u202F000 1\u202F000 idle, 0 busy");
  CHECK(browser::text_of(page, "workers-note")
          .find("the first 100 of 1\u202F000 in this order")
        == 0);
  auto workers = browser::rows_of(page, "workers");
  REQUIRE(workers.size() == 100);
  for (std::size_t i = 0; i < 100; ++i)
    CHECK(workers[i][5] == grouped(stats.members[i].completed));
}

TEST_CASE("the page shows names as text, even if they contain markup, and the "
          "pool named in its address") {
  const std::string evil = "<img src=x onerror=\"document.title='taken'\">";
  served_world world{1};
  test::live_world other{1};
  world.view.add(other.pool, evil + "</script><script>alert(1)</script>");
  world.block(1);
  world.send(evil, until_opened, 30);
  world.send("other", until_opened, 1);
  REQUIRE(comes_true([&] { // the means of ten seconds begin with an idle worker
    return world.client.pool()["problems"].dump().find("floods")
           != std::string::npos;
  }));
  auto page = page_of(world.view);
  CHECK(page.find("<title>libpool</title>") != std::string::npos);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("&lt;img src=x") != std::string::npos);
  CHECK(
    page.find(
      "<span>pool: flow &lt;img src=x onerror=\"document.title='taken'\"&gt;"
      " floods the pool: 30 of 31 waiting tasks.</span>")
    != std::string::npos);
  test::live_world third{2};
  world.view.add(third.pool, "the third");
  page = page_of(world.view, "#the%20third");
  CHECK(figure(page, "workers") == "2 2 idle, 0 busy");
  CHECK(page.find("href=\"/trace?seconds=10&amp;pool=the%20third\"")
        != std::string::npos);
}

TEST_CASE("the page of a view with a token accepts the token as password") {
  libpool::live_options options;
  options.token = "secret";
  served_world world{2, options};
  browser with;
  auto page = with.page_at("http://me:secret@127.0.0.1:"
                           + std::to_string(world.view.port()) + "/?once");
  CHECK(figure(page, "workers") == "2 2 idle, 0 busy");
  auto none = with.page_at("http://me:wrong@127.0.0.1:"
                           + std::to_string(world.view.port()) + "/?once");
  CHECK(none.find("figure-workers") == std::string::npos);
}

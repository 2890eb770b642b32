/// The commands of the page of a running pool, in a browser.

#include "live_page.hpp"
#include "served.hpp"

#include <string>

using test::comes_true;
using test::until_opened;

namespace page_commands_tests {

namespace {

libpool::live_options with_token() {
  libpool::live_options result;
  result.control_token = "right";
  return result;
}

/// A pool with one worker, which runs a task until it is opened, and the page,
/// which has got the control token.
struct commanded_world : test::served_world {
  commanded_world() : served_world(1, with_token()) {
    block(1);
    page.wait_until("at('control-token').getClientRects().length > 0");
    page.value_of("at('control-token').value = 'right',"
                  "at('unlock').requestSubmit()");
    page.wait_until("at('command-pause')");
  }

  void press(const std::string& id) {
    page.value_of("at('" + id + "').click()");
  }

  /// Presses the button of a command, and returns what the page tells then.
  std::string told_by(const std::string& id) {
    page.value_of("tellControl('')");
    press(id);
    page.wait_until("at('control-told').textContent");
    return page.value_of("at('control-told').textContent");
  }

  /// Presses the button of a command that asks whether the user is sure.
  void ask(const std::string& id) {
    press(id);
    page.wait_until("at('confirm').open");
  }

  test::live_page page{view.url()};
};

} // namespace

TEST_CASE("the page pauses, resumes and resizes a running pool") {
  commanded_world world;
  CHECK(world.told_by("command-pause") == "pool is paused");
  CHECK(world.stats().is_paused);
  world.page.wait_until("at('command-pause').textContent === 'Resume'");
  CHECK(world.told_by("command-pause") == "pool is resumed");
  CHECK_FALSE(world.stats().is_paused);
  world.page.wait_until("at('command-pause').textContent === 'Pause'");
  world.page.value_of("at('control-size').value = 5");
  CHECK(world.told_by("command-resize") == "pool gets 5 workers");
  CHECK(comes_true([&] { return world.stats().workers == 5; }));
  world.page.wait_until(
    "document.querySelector('#figure-workers span').textContent === '5'");
}

TEST_CASE("the page cancels, pauses and resumes a flow of a running pool, and "
          "cancels nothing if the viewer goes back") {
  commanded_world world;
  auto choose = [&](const std::string& flow) {
    world.page.wait_until("[...at('control-flow').options].some(o => o.value "
                          "=== '"
                          + flow + "')");
    world.page.value_of("at('control-flow').value = '" + flow + "'");
  };
  world.send("gold", until_opened, 3);
  world.send("silver", until_opened, 2);
  choose("silver");
  world.ask("command-cancel-flow");
  world.press("confirm-no");
  world.ask("command-cancel-flow");
  CHECK(world.stats().tasks.cancelled == 0);
  CHECK(world.told_by("confirm-yes")
        == "pool: 2 waiting messages were cancelled, handlers of 0 "
           "messages are asked to stop");
  CHECK(world.stats().tasks.cancelled == 2);
  choose("gold");
  CHECK(world.told_by("command-pause-flow") == "flow gold of pool is paused");
  world.gate->open();
  world.send("bronze", {});
  CHECK(comes_true([&] { return world.stats().tasks.completed == 2; }));
  CHECK(world.stats().tasks.waiting == 3);
  CHECK(world.told_by("command-resume-flow") == "flow gold of pool is resumed");
  CHECK(comes_true([&] { return world.stats().tasks.completed == 5; }));
}

TEST_CASE("the page cancels all messages of a running pool") {
  commanded_world world;
  world.send("gold", until_opened, 3);
  world.ask("command-cancel-all");
  CHECK(world.told_by("confirm-yes")
        == "pool: 3 waiting messages were cancelled, handlers of 1 "
           "messages are asked to stop");
  CHECK(world.stats().tasks.cancelled >= 3);
}

TEST_CASE("the page drains a running pool, and shows that it has ended") {
  commanded_world world;
  world.send("gold", {});
  world.ask("command-drain");
  CHECK(world.told_by("confirm-yes") == "pool drains");
  world.send("gold", {});
  CHECK(comes_true([&] { return world.stats().tasks.refused == 1; }));
  world.gate->open();
  world.pool = nullptr;
  world.page.wait_until(
    "at('problems').textContent.startsWith('No pools to show')");
}

} // namespace page_commands_tests

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

  /// Presses a button that asks whether the user is sure.
  void press(const std::string& id, const std::string& answer) {
    press(id);
    page.wait_until("at('confirm').open");
    press("confirm-" + answer);
    page.wait_until("!at('confirm').open");
  }

  /// Waits until the page tells the answer to a command.
  void wait_for_answer(const std::string& text) {
    page.wait_until("at('control-told').textContent === '" + text + "'");
  }

  test::live_page page{view.url()};
};

} // namespace

TEST_CASE("the page pauses, resumes and resizes a running pool") {
  commanded_world world;
  world.press("command-pause");
  world.wait_for_answer("pool is paused");
  CHECK(world.stats().is_paused);
  world.page.wait_until("at('command-pause').textContent === 'Resume'");
  world.press("command-pause");
  world.wait_for_answer("pool is resumed");
  CHECK_FALSE(world.stats().is_paused);
  world.page.wait_until("at('command-pause').textContent === 'Pause'");
  world.page.value_of("at('control-size').value = 5");
  world.press("command-resize");
  world.wait_for_answer("pool gets 5 workers");
  CHECK(comes_true([&] { return world.stats().workers == 5; }));
  world.page.wait_until(
    "document.querySelector('#figure-workers span').textContent === '5'");
}

TEST_CASE("the page pauses, resumes and cancels a flow of a running pool, and "
          "cancels nothing if the viewer goes back") {
  commanded_world world;
  world.send("gold", until_opened, 3);
  world.send("silver", until_opened, 2);
  world.page.wait_until(
    "[...at('control-flow').options].some(o => o.value === 'gold')");
  world.page.value_of("at('control-flow').value = 'gold'");
  world.press("command-pause-flow");
  world.wait_for_answer("flow gold of pool is paused");
  CHECK(comes_true([&] { return world.stats().parked == 3; }));
  world.press("command-resume-flow");
  world.wait_for_answer("flow gold of pool is resumed");
  CHECK(world.stats().parked == 0);
  world.press("command-cancel-flow", "no");
  world.press("command-cancel-flow");
  world.page.wait_until("at('confirm').open");
  CHECK(world.stats().tasks.cancelled == 0);
  world.press("confirm-yes");
  world.wait_for_answer(
    "pool: 3 waiting messages were cancelled, handlers of 0 "
    "messages are asked to stop");
  auto tasks = world.stats().tasks;
  CHECK(tasks.cancelled == 3);
  CHECK(tasks.waiting + tasks.assigned == 2);
}

TEST_CASE("the page cancels all messages of a running pool") {
  commanded_world world;
  world.send("gold", until_opened, 3);
  world.press("command-cancel-all", "yes");
  world.wait_for_answer(
    "pool: 3 waiting messages were cancelled, handlers of 1 "
    "messages are asked to stop");
  CHECK(world.stats().tasks.cancelled >= 3);
}

TEST_CASE("the page drains a running pool, and shows that it has ended") {
  commanded_world world;
  world.send("gold", {});
  world.press("command-drain", "yes");
  world.wait_for_answer("pool drains");
  world.send("gold", {});
  CHECK(comes_true([&] { return world.stats().tasks.refused == 1; }));
  world.gate->open();
  world.page.wait_until(
    "at('matters').textContent.startsWith('No pools to show')");
}

} // namespace page_commands_tests
